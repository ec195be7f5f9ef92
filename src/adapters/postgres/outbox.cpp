#include "application/ports/outbox.hpp"

#include <memory>
#include <string>
#include <vector>

#include "adapters/postgres/connection.hpp"
#include "adapters/postgres/open.hpp"
#include "adapters/postgres/outbox_sql.hpp"
#include "adapters/postgres/rows.hpp"
#include "adapters/postgres/transaction_sql.hpp"
#include "application/ports/failures.hpp"

namespace sundial::postgres {
namespace {

using namespace std::chrono_literals;

// A read takes milliseconds. The server ends a statement that exceeds its limit.
constexpr std::chrono::milliseconds statement_limit = 10s;
constexpr std::chrono::milliseconds outbox_silence = statement_limit + 5s;

OutboxRow outbox_row_in(const Row& row) {
    return {.id = row.get<std::int64_t>("id"),
            .kind = row.get<std::optional<std::string>>("kind"),
            .request = row.get<std::optional<std::string>>("request"),
            .too_large = row.get<bool>("too_large")};
}

std::string in_words(const SqlError& error) {
    if (error.state == "42P01") {
        return "the database has no table sundial_outbox on the search_path of this role";
    }
    if (error.state == "42501") return "the role may not read the table sundial_outbox";
    return std::string{"PostgreSQL refuses to read sundial_outbox: "} + error.what();
}

class PostgresOutbox final : public Outbox {
public:
    PostgresOutbox(std::string url, base::Log& log) : url_{std::move(url)}, log_{log} {}

    OutboxPage read(std::span<const IdInterval> among, const OutboxLimits& limits) override {
        const auto answers =
            run({Call{sql::outbox_sequence},
                 Call{sql::read_outbox, column(among, &IdInterval::first),
                      column(among, &IdInterval::last), static_cast<std::int64_t>(limits.rows),
                      static_cast<std::int32_t>(max_outbox_request),
                      static_cast<std::int64_t>(limits.bytes)}});
        OutboxPage page{.rows = each_row(answers[1], outbox_row_in)};
        page.last_id = answers[0].get<std::optional<std::int64_t>>(0, 0);
        std::size_t bytes = 0;
        for (const OutboxRow& row : page.rows) {
            bytes += row.too_large ? max_outbox_request : row.request.value_or("").size();
        }
        page.more = page.rows.size() == limits.rows || bytes >= limits.bytes;
        return page;
    }

    std::vector<bool> has_rows(std::span<const IdInterval> ranges) override {
        if (ranges.empty()) return {};
        const auto answers = run({Call{sql::outbox_has_rows, column(ranges, &IdInterval::first),
                                       column(ranges, &IdInterval::last)}});
        return column_of<bool>(answers.front(), 0);
    }

private:
    /// Runs `calls` in one read-only transaction and one round trip.
    std::vector<Answer> run(std::vector<Call> calls) {
        try {
            if (!connection_ || connection_->is_broken() || !connection_->is_quiet()) {
                connection_ =
                    std::make_unique<Connection>(url_, log_, 0, Connection::Access::read_only);
            }
            calls.insert(calls.begin(),
                         {Call{sql::begin_outbox},
                          Call{sql::configure_outbox, std::to_string(statement_limit.count())}});
            const RollBack at_end{*connection_, outbox_silence};
            auto answers = connection_->run(calls, false, outbox_silence);
            answers.erase(answers.begin(), answers.begin() + 2);
            return answers;
        } catch (const ConnectionLost& lost) {
            connection_.reset();
            throw Unavailable{lost.what()};
        } catch (const SqlError& error) {
            throw Unavailable{in_words(error)};
        } catch (const Corrupt& odd) {  // a column of another type
            throw Unavailable{std::string{"sundial_outbox: "} + odd.what()};
        }
    }

    const std::string url_;
    base::Log& log_;
    std::unique_ptr<Connection> connection_;
};

}  // namespace

std::unique_ptr<Outbox> open_outbox(const std::string& url, base::Log& log) {
    return std::make_unique<PostgresOutbox>(url, log);
}

}  // namespace sundial::postgres
