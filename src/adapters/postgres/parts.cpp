#include <algorithm>
#include <cstddef>
#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "adapters/postgres/connection.hpp"
#include "adapters/postgres/database.hpp"
#include "adapters/postgres/sql_error.hpp"
#include "adapters/postgres/transaction_sql.hpp"
#include "base/check.hpp"

/// Calls whose parts are transactions of their own, on a distributed database (ADR 0074).
namespace sundial::postgres {
namespace {

/// A part mostly waits for round trips between the coordinator and a machine, which sessions do at
/// the same time. More than four would leave no connection to requests: the default pool has four
/// for them.
constexpr std::size_t max_sessions = 4;
/// A session with fewer parts would gain too little to take a connection from others.
constexpr std::size_t min_parts_of_session = 2;

/// A session, and the parts that it runs one after another.
class Share {
public:
    Share(Connection& its_connection, std::size_t first_of_them,
          std::span<const std::vector<Call>> transactions)
        : connection{its_connection}, first{first_of_them}, transactions_{transactions} {}
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    /// Answers that were not read would be taken for those to the connection's next calls.
    ~Share() {
        if (!all_read_) connection.give_up();
    }

    void send(bool prepare) {
        try {
            sent_ = connection.send_parts(transactions_, prepare);
        } catch (const ConnectionLost& why) {
            lost = why;
        }
    }
    void await(std::chrono::milliseconds silence) {
        if (lost) return;
        try {
            // Each statement may use its full time-out, and the server may send several answers at
            // once.
            const auto statements = std::ranges::distance(transactions_ | std::views::join);
            answers = connection.await_parts(sent_, silence * (statements + 1));
            all_read_ = true;
        } catch (const ConnectionLost& why) {
            lost = why;
        } catch (const SqlError& why) {
            unprepared = why;
            all_read_ = true;
        }
    }

    Connection& connection;
    const std::size_t first;                         // of all transactions
    std::vector<Connection::PartAnswers> answers{};  // to all its parts, or none
    std::optional<ConnectionLost> lost{};
    std::optional<SqlError> unprepared{};  // the server refused to prepare a statement

private:
    const std::span<const std::vector<Call>> transactions_;
    Connection::SentParts sent_{};
    bool all_read_ = false;
};

/// Divides the transactions over the sessions, and runs them there at the same time.
std::deque<Share> run_side_by_side(std::span<Connection* const> sessions,
                                   std::span<const std::vector<Call>> transactions, bool prepare,
                                   std::chrono::milliseconds silence) {
    std::deque<Share> shares;
    for (std::size_t i = 0; i < sessions.size(); ++i) {
        const std::size_t first = transactions.size() * i / sessions.size();
        const std::size_t end = transactions.size() * (i + 1) / sessions.size();
        shares.emplace_back(*sessions[i], first, transactions.subspan(first, end - first));
    }
    for (Share& share : shares) share.send(prepare);
    for (Share& share : shares) share.await(silence);
    return shares;
}

}  // namespace

void Database::report_parts(std::size_t failed, std::size_t all, const std::string& why) {
    const bool before = parts_fail_.exchange(failed > 0);
    if (before == (failed > 0)) return;
    log_.write({.level = failed > 0 ? base::LogLevel::warn : base::LogLevel::info,
                .event_name = {},
                .message = failed > 0 ? "a machine of the distributed database does not answer (" +
                                            std::to_string(failed) + " of " + std::to_string(all) +
                                            " parts of a call failed): " + why
                                      : "all machines of the distributed database answer again",
                .correlation_id = {},
                .fields = {}});
}

Database::InParts Database::run_in_parts(std::string_view purpose, Effect effect,
                                         std::span<const std::vector<Call>> parts) {
    base::check(effect != Effect::once);
    InParts all{std::vector<std::optional<Answered>>(parts.size()), {}};
    if (parts.empty()) return all;
    if (!distributed_ || open_here()) {
        std::vector<Call> calls;
        for (const auto& part : parts) calls.insert(calls.end(), part.begin(), part.end());
        Answered whole = run(purpose, effect, calls);
        auto next = std::make_move_iterator(whole.answers.begin());
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const auto end = next + static_cast<std::ptrdiff_t>(parts[i].size());
            all.answered[i] = {whole.now, {next, end}};
            next = end;
        }
        return all;
    }
    // The coordinator's session may have kept a connection to a machine that has failed since. So
    // failed parts run once more, in another session.
    for (int tries = 0; tries < 2; ++tries) {
        with_retries(purpose,
                     [&](TransactionAttempt& attempt) { run_missing(attempt, parts, all); });
        if (all.failed() == 0) break;
    }
    report_parts(all.failed(), parts.size(), all.why);
    if (effect != Effect::none && all.failed() == 0) outage_.succeeded();
    return all;
}

std::vector<std::unique_ptr<Pool::Loan>> Database::extra_sessions(const Connection& own,
                                                                  std::size_t parts,
                                                                  const InParts& all) {
    std::vector<std::unique_ptr<Pool::Loan>> extras;
    // Through a pooler, the next part is sent after the answer to the one before, so sessions would
    // wait for each other. While a machine fails, its parts may take their full time-outs, and each
    // session that meets it must be opened again.
    if (!own.is_direct() || parts_fail_ || !all.why.empty()) return extras;
    const std::size_t sessions = std::min(max_sessions, parts / min_parts_of_session);
    while (extras.size() + 1 < sessions) {
        auto extra = pool_.borrow_extra();
        if (!extra) break;
        extras.push_back(std::move(extra));
    }
    return extras;
}

Database::Missing Database::missing_of(TransactionAttempt& attempt,
                                       std::span<const std::vector<Call>> parts,
                                       const InParts& all) {
    Missing missing;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (!all.answered[i]) missing.numbers.push_back(i);
    }
    if (std::ranges::any_of(missing.numbers,
                            [&](std::size_t i) { return needs_clock(parts[i]); })) {
        const Call ask = configuration(sql::configure);
        missing.clock = note_server(
            attempt.connection.run({&ask, 1}, attempt.prepare, settings_.statement_timeout)
                .front());
    }
    for (const std::size_t i : missing.numbers) {
        std::vector<Call>& calls = missing.transactions.emplace_back();
        calls.emplace_back(sql::begin_write);
        append_queue_configuration(calls);
        missing.before = static_cast<std::ptrdiff_t>(calls.size());
        if (missing.clock) {
            std::ranges::move(clock_parameter_.given(parts[i], *missing.clock),
                              std::back_inserter(calls));
        } else {
            calls.insert(calls.end(), parts[i].begin(), parts[i].end());
        }
    }
    return missing;
}

void Database::run_missing(TransactionAttempt& attempt, std::span<const std::vector<Call>> parts,
                           InParts& all) {
    const Missing missing = missing_of(attempt, parts, all);
    const auto extras = extra_sessions(attempt.connection, missing.numbers.size(), all);
    std::vector<Connection*> sessions{&attempt.connection};
    for (const auto& extra : extras) sessions.push_back(&**extra);
    auto shares = run_side_by_side(sessions, missing.transactions, attempt.prepare,
                                   settings_.statement_timeout + settings_.lock_timeout);

    bool machine_failed = false;
    std::optional<SqlError> to_repeat;
    const auto note_refusal = [&](const SqlError& refused) {
        const bool of_machine = is_of_machine(refused, distributed_);
        machine_failed = machine_failed || of_machine;
        if (of_machine || is_timeout(refused) || is_lock_timeout(refused)) {
            all.why = refused.what();
        } else if (!to_repeat || is_of_wrong_connection(refused)) {
            to_repeat = refused;  // the second one first, because it closes all connections
        }
    };
    for (Share& share : shares) {
        if (share.lost) all.why = share.lost->what();
        if (share.unprepared) note_refusal(*share.unprepared);
        for (std::size_t i = 0; i < share.answers.size(); ++i) {
            auto& [answers, refused] = share.answers[i];
            if (refused) {
                note_refusal(*refused);
                continue;
            }
            const Instant now = note_server(answers[1]);
            answers.erase(answers.begin(), answers.begin() + missing.before);
            all.answered[missing.numbers[share.first + i]] = {missing.clock.value_or(now),
                                                              std::move(answers)};
        }
    }
    for (Share& share : shares) {
        // Each session may have kept a connection to the machine.
        if (machine_failed) forget_machines_of(share.connection);
        if (share.lost) pool_.close_idle();  // idle ones may have died with it
    }
    if (shares.front().lost) throw ConnectionLost{*shares.front().lost};
    if (to_repeat) throw std::move(*to_repeat);
}

}  // namespace sundial::postgres
