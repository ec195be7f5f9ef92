#include "cli/imports/import_people.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <exception>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <span>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/bulk_requests.hpp"
#include "cli/imports/import_progress.hpp"
#include "cli/imports/person_check.hpp"
#include "cli/text_table.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t max_request_bytes = 900 * 1024;  // the API's limit is 1 MiB
constexpr std::size_t max_shown_refusals = 20;         // described in words

struct RefusedRow {
    std::size_t line = 0;
    std::string message{};
    std::string problem{};  // JSON; empty: the server has not seen the row
    std::string text{};
};

std::string error_line(const RefusedRow& refused) {
    base::JsonWriter json;
    json.begin_object().member("line", refused.line);
    json.member("message", std::string_view(refused.message));
    if (!refused.problem.empty()) json.key("problem").raw(refused.problem);
    // A row that is not UTF-8 cannot be a text of JSON.
    const bool is_text = base::count_code_points(refused.text).has_value();
    if (is_text) json.member("row", std::string_view(refused.text));
    return std::move(json.end_object()).text() + '\n';
}

/// Rows that are sent together.
struct PeopleBatch {
    std::uint64_t number = 0;  // from 1, in the order of the file
    std::vector<PersonRow> rows{};
    std::vector<RefusedRow> refused{};
    ImportProgress end{};  // of the file, after the batch
    std::uint64_t created = 0, changed = 0, unchanged = 0;
};

class PeopleImporter {
public:
    PeopleImporter(const HttpClient& client, const PeopleImport& order, std::istream& in,
                   const TzData& zones, Instant now, const WaitOptions& wait_options,
                   const Output& output)
        : order_(order),
          zones_(zones),
          now_(now),
          wait_options_(wait_options),
          output_(output),
          file_(open_people(order.format, in, order.read)),
          files_(order.dry_run ? "" : order.errors, order.dry_run ? "" : order.progress),
          start_(files_.reached()),
          live_(wait_options_, output.err),
          server_(client, wait_options, [this](const std::string& what) {
              const std::lock_guard lock(mutex_);
              say(what);
          }) {}

    int run() {
        for (const std::string& note : file_->notes()) say(note);
        if (start_.bytes > 0) say("continues after line " + std::to_string(start_.line));
        {
            std::vector<std::jthread> threads;
            threads.reserve(order_.requests);
            for (std::size_t i = 0; i < order_.requests; ++i)
                threads.emplace_back([this] { work(); });
        }
        live_.end();
        if (!failure_ && code_ == exit_code::ok && !order_.dry_run) files_.complete();
        report_aliases();
        // An import of nothing is right, and yet may be the wrong file.
        if (!failure_ && code_ == exit_code::ok && files_.reached().line == 0)
            say("the file has no rows");
        report_result();
        if (failure_) std::rethrow_exception(failure_);
        if (code_ != exit_code::ok) return code_;
        return files_.reached().refused == 0 ? exit_code::ok : exit_code::partly_failed;
    }

private:
    void work() {
        try {
            while (auto batch = next_batch()) store(*std::move(batch));
        } catch (const std::exception&) {
            const std::lock_guard lock(mutex_);
            over_ = true;
            if (!failure_) failure_ = std::current_exception();
        }
    }

    // Reading, one thread at a time.

    std::optional<PeopleBatch> next_batch() {
        const std::lock_guard lock(reading_);
        {
            const std::lock_guard state(mutex_);
            if (!over_ && wait_options_.interrupted()) {
                over_ = true;
                code_ = exit_code::interrupted;
                say_how_to_go_on();
            }
            if (over_) return std::nullopt;
        }
        PeopleBatch batch{.number = ++batches_};
        std::size_t bytes = 0;
        while (batch.rows.size() + batch.refused.size() < order_.rows &&
               bytes < max_request_bytes && file_->next(row_)) {
            bytes += row_.body.size() + 1;
            // Blank lines after the last row are beyond the end.
            batch.end.line = row_.line;
            batch.end.bytes = file_->bytes();
            batch.end.hash = file_->hash();
            take_row(batch);
        }
        if (batch.end.line == 0) {
            check_start();
            return std::nullopt;
        }
        return batch;
    }

    void take_row(PeopleBatch& batch) {
        if (row_.refusal.empty() && row_.external_id.empty())
            row_.refusal = "/externalId is required: a second import finds the person by it";
        if (!row_.external_id.empty()) {
            const auto [first, fresh] =
                lines_of_ids_.try_emplace(std::hash<std::string>{}(row_.external_id), row_.line);
            if (!fresh && row_.refusal.empty())
                row_.refusal = "/externalId is that of line " + std::to_string(first->second);
        }
        if (skipped(file_->bytes())) return check_skipped();
        check_start();  // before anything of another file is sent
        if (row_.refusal.empty() && order_.dry_run)
            row_.refusal = refusal_of_person(row_.body, zones_, now_);
        if (row_.refusal.empty()) {
            count_alias();
            batch.rows.push_back(row_);
        } else {
            batch.refused.push_back({row_.line, row_.refusal, "", row_.text});
        }
    }

    /// Whether an earlier run has stored or refused the row that ends there.
    [[nodiscard]] bool skipped(std::uint64_t bytes) const { return bytes <= start_.bytes; }
    void check_skipped() {
        if (file_->bytes() != start_.bytes) return;
        found_start_ = file_->hash() == start_.hash;
        if (!found_start_) refuse_progress();
    }
    void check_start() const {
        if (start_.bytes > 0 && !found_start_) refuse_progress();
    }
    void refuse_progress() const {
        throw BadArgument("--progress: " + order_.progress + " is of another file than " +
                          order_.name + "; delete it to import this file from its beginning");
    }

    void count_alias() {
        const auto known = aliases_.find(row_.zone);
        if (known != aliases_.end()) {
            ++known->second;
        } else if (zones_.target_of(row_.zone) != row_.zone) {
            aliases_.emplace(row_.zone, 1);
        }
    }

    // Sending, several threads at a time.

    void store(PeopleBatch batch) {
        if (order_.dry_run) {
            batch.created = batch.rows.size();
        } else if (!send(batch, batch.rows)) {
            return;
        }
        batch.rows.clear();
        const std::lock_guard lock(mutex_);
        // In the order of the file: rows after a request without an answer are not processed.
        done_.emplace(batch.number, std::move(batch));
        while (!done_.empty() && done_.begin()->first == reached_ + 1) {
            reach(std::move(done_.begin()->second));
            done_.erase(done_.begin());
            ++reached_;
        }
        live_.show(summary() + rate());
    }

    /// Sends rows that are refused as a whole in halves, until the invalid ones are found. False
    /// if the import cannot go on.
    bool send(PeopleBatch& batch, std::span<const PersonRow> rows) {
        if (rows.empty()) return true;
        std::string body = R"({"users":[)";
        for (const PersonRow& row : rows) {
            if (&row != &rows.front()) body += ',';
            body += row.body;
        }
        body += "]}";
        // Needs no Idempotency-Key: a repeated request finds its people by their external ids.
        const Answer answer = server_.post("/v1/users/import", body, {});
        const bool of_content = refused_for_content(answer);
        if (of_content && rows.size() > 1) {
            const std::size_t middle = rows.size() / 2;
            return send(batch, rows.first(middle)) && send(batch, rows.subspan(middle));
        }
        json::error_code wrong;
        const json::value parsed = json::parse(answer.body, wrong);
        const bool known = !wrong && parsed.is_object();
        if (of_content && known) {
            refuse(batch, rows.front(), parsed.get_object(), "/users/0");
            return true;
        }
        if (answer.status >= 300 || !known || !parsed.get_object().contains("created")) {
            give_up(answer);
            return false;
        }
        count(batch, rows, parsed.get_object());
        return true;
    }

    static std::uint64_t number_in(const json::object& answer, std::string_view member) {
        const json::value* number = answer.if_contains(member);
        return number != nullptr && number->is_number() ? number->to_number<std::uint64_t>() : 0;
    }

    static void count(PeopleBatch& batch, std::span<const PersonRow> rows,
                      const json::object& answer) {
        const std::uint64_t unchanged = number_in(answer, "unchanged");
        batch.created += number_in(answer, "created");
        batch.unchanged += unchanged;
        batch.changed += number_in(answer, "replaced") - unchanged;
        const json::value* problems = answer.if_contains("problems");
        if (problems == nullptr || !problems->is_array()) return;
        for (const json::value& problem : problems->get_array()) {
            const json::object& found = problem.as_object();
            const auto index = static_cast<std::size_t>(number_in(found, "index"));
            if (index < rows.size())
                refuse(batch, rows[index], found, "/users/" + std::to_string(index));
        }
    }

    static void refuse(PeopleBatch& batch, const PersonRow& row, const json::object& problem,
                       std::string_view place) {
        batch.refused.push_back(
            {row.line, problem_text(problem, place), json::serialize(problem), row.text});
    }

    /// The response does not concern single rows.
    void give_up(const Answer& answer) {
        const std::lock_guard lock(mutex_);
        if (over_) return;
        over_ = true;
        live_.end();
        code_ = print(answer, {output_.out, output_.err, false}, [](const json::object&) {});
        if (code_ == exit_code::ok) code_ = exit_code::failure;
    }

    // The functions below need `mutex_`, or run after the threads.

    /// All rows up to the end of `batch` are stored or refused.
    void reach(PeopleBatch batch) {
        if (skipped(batch.end.bytes)) return;
        std::ranges::sort(batch.refused, {}, &RefusedRow::line);
        std::string errors;
        for (const RefusedRow& refused : batch.refused) {
            report(refused);
            if (!order_.errors.empty()) errors += error_line(refused);
        }
        ImportProgress progress = files_.reached();
        progress.bytes = batch.end.bytes;
        progress.hash = batch.end.hash;
        progress.line = batch.end.line;
        progress.created += batch.created;
        progress.changed += batch.changed;
        progress.unchanged += batch.unchanged;
        progress.refused += batch.refused.size();
        files_.reach(progress, errors);
    }

    void report(const RefusedRow& refused) {
        if (++reported_ > max_shown_refusals) return;
        live_.end();
        output_.err << order_.name << ':' << refused.line << ": " << harmless(refused.message)
                    << '\n';
        if (reported_ == max_shown_refusals)
            output_.err << "further refused rows are only counted\n";
    }

    void say(const std::string& what) {
        live_.end();
        output_.err << "sundial: " << what << '\n' << std::flush;
    }

    void say_how_to_go_on() {
        say("stopping; " + (order_.progress.empty()
                                ? "import the file again to continue: people that are stored are "
                                  "found by their external ids"
                                : std::string("run the same command again to continue")));
    }

    [[nodiscard]] std::string summary() const {
        const ImportProgress& all = files_.reached();
        const std::string refused = std::to_string(all.refused) + " refused";
        if (order_.dry_run) return std::to_string(all.created) + " would be sent, " + refused;
        return std::to_string(all.created) + " created, " + std::to_string(all.changed) +
               " changed, " + std::to_string(all.unchanged) + " unchanged, " + refused;
    }

    [[nodiscard]] std::string rate() const {
        const ImportProgress& all = files_.reached();
        const auto rows = [](const ImportProgress& at) {
            return at.created + at.changed + at.unchanged + at.refused;
        };
        const std::uint64_t here = order_.bytes > start_.bytes ? order_.bytes - start_.bytes : 0;
        return rate_text(rows(all) - rows(start_), all.bytes - start_.bytes, here,
                         wait_options_.elapsed());
    }

    void report_aliases() const {
        for (const auto& [zone, people] : aliases_) {
            output_.err << "sundial: " << people << (people == 1 ? " person has " : " people have ")
                        << zone << ", another name of " << zones_.target_of(zone)
                        << "; it is stored as given\n";
        }
    }

    void report_result() const {
        if (!output_.json) {
            output_.out << summary() << '\n';
            return;
        }
        const ImportProgress& all = files_.reached();
        base::JsonWriter result;
        result.begin_object();
        if (order_.dry_run) {
            result.member("valid", all.created);
        } else {
            result.member("created", all.created).member("changed", all.changed);
            result.member("unchanged", all.unchanged);
        }
        result.member("refused", all.refused).key("aliases").begin_array();
        for (const auto& [zone, people] : aliases_) {
            result.begin_object().member("timezone", std::string_view(zone));
            result.member("target", std::string_view(zones_.target_of(zone)));
            result.member("people", people).end_object();
        }
        output_.out << result.end_array().end_object().text() << '\n';
    }

    const PeopleImport& order_;
    const TzData& zones_;
    const Instant now_;
    const WaitOptions& wait_options_;
    const Output& output_;

    std::mutex reading_;  // guards these; taken before `mutex_`
    std::unique_ptr<PeopleFile> file_;
    PersonRow row_;
    std::uint64_t batches_ = 0;
    std::unordered_map<std::size_t, std::size_t> lines_of_ids_;  // by the hash of the external id
    std::map<std::string, std::uint64_t> aliases_;               // people of each
    bool found_start_ = false;

    std::mutex mutex_;  // guards all below
    ImportFiles files_;
    const ImportProgress start_;
    std::uint64_t reached_ = 0;  // number of the last batch that, with all before it, is answered
    std::map<std::uint64_t, PeopleBatch> done_;  // answered before an earlier one
    LiveLine live_;
    PatientClient server_;
    std::size_t reported_ = 0;
    bool over_ = false;
    int code_ = exit_code::ok;
    std::exception_ptr failure_;
};

}  // namespace

int import_people(const HttpClient& client, const PeopleImport& order, std::istream& in,
                  const TzData& zones, Instant now, const WaitOptions& wait_options,
                  const Output& output) {
    return PeopleImporter(client, order, in, zones, now, wait_options, output).run();
}

}  // namespace sundial::cli
