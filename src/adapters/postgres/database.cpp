#include "adapters/postgres/database.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <utility>

#include "adapters/postgres/queue_sql.hpp"
#include "adapters/postgres/sql_error.hpp"
#include "adapters/postgres/transaction_sql.hpp"
#include "application/ports/failures.hpp"
#include "base/check.hpp"

namespace sundial::postgres {
namespace {

using namespace std::chrono_literals;

constexpr int max_tries = 5;  // of a transaction (reliability 5)
/// Maximum attempts if a lock wait timed out. Each has already cost a time-out. But the cause may
/// be a deadlock that the server would have detected at the same moment, so a few repetitions are
/// worthwhile.
constexpr int max_waits = 3;
/// The attempt with the longest pause before it: half a second or less.
constexpr int longest_pause = 8;

/// A pooler gave us a session in which another client prepared the statement, or no client did.
bool lost_preparation(const SqlError& error) {
    return error.state == "26000" || error.state == "42P05";
}
/// Waits 2 to 60 ms for the attempts above, doubling each time. The backend's process id makes
/// pauses differ between connections, so no source of randomness is needed; behind a pooler any
/// number serves.
void pause_before(int next_try, int backend_process) {
    const std::uint32_t different =
        static_cast<std::uint32_t>(backend_process) * 16U + static_cast<std::uint32_t>(next_try);
    const std::uint32_t spread = different * 2'654'435'761U;
    const std::chrono::microseconds base = 1ms * (1 << next_try);
    std::this_thread::sleep_for(base / 2 + base * (spread >> 16U) / 65'536);
}

/// The transaction that this thread has open.
struct OpenHere {
    const Database* database = nullptr;
    Session* session = nullptr;
};
thread_local OpenHere open_here;

/// Registers a transaction in `open_here` while its work runs.
class Opened {
public:
    Opened(const Database& database, Session& session)
        : outer_{std::exchange(open_here, {&database, &session})} {}
    ~Opened() { open_here = outer_; }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;

private:
    const OpenHere outer_;
};

Session* open_in(const Database& database) {
    return open_here.database == &database ? open_here.session : nullptr;
}

}  // namespace

Database::Database(const Settings& settings, std::uint32_t shards, bool distributed, base::Log& log)
    : settings_{settings},
      log_{log},
      pool_{settings.url, settings.pool_size, settings.pool_wait, log},
      servers_{log},
      shards_{shards},
      distributed_{distributed},
      prepare_{settings.prepare_statements} {}

Call Database::configuration(const Statement& statement) const {
    const Server seen = servers_.latest();
    return Call{statement,
                std::to_string(settings_.statement_timeout.count()),
                std::to_string(settings_.lock_timeout.count()),
                std::to_string(settings_.idle_in_transaction_timeout.count()),
                seen.started,
                seen.timeline,
                seen.system};
}

Instant Database::note_server(const Answer& configured) {
    // Null unless the server has changed.
    if (const auto system = configured.get<std::optional<std::int64_t>>(0, 6)) {
        servers_.meet(
            {configured.get<std::int64_t>(0, 4), configured.get<std::int64_t>(0, 5), *system});
    }
    const auto now = configured.get<Instant>(0, 3);
    const std::lock_guard lock{reading_mutex_};
    reading_ = {now, std::chrono::steady_clock::now()};
    return now;
}

Instant Database::approximate_now() const {
    const std::lock_guard lock{reading_mutex_};
    const auto since = std::chrono::steady_clock::now() - reading_.at;
    return reading_.now + std::chrono::duration_cast<std::chrono::microseconds>(since);
}

void Database::note_holders(std::span<const ShardHolder> seen) {
    std::vector<ShardHolder> unknown;
    for (const ShardHolder& one : seen) {
        servers_.meet_holder(one.shard, one.started);
        if (servers_.should_identify(one.started)) unknown.push_back(one);
    }
    for (const ShardHolder& one : unknown) {
        std::optional<HolderIdentity> identity;
        try {
            const Call ask{sql::identity_of_holder, static_cast<std::int16_t>(one.shard)};
            const auto answered = run("server watch", Effect::none, {&ask, 1});
            const Answer& row = answered.answers.front();
            identity = {row.get<std::int64_t>(0, 0), row.get<std::int64_t>(0, 1),
                        row.get<std::string>(0, 2)};
        } catch (const std::runtime_error&) {  // NOLINT(bugprone-empty-catch): its start is enough
            // It has failed since, or our role may not read it.
        }
        servers_.identify(one.started, identity);
    }
}

bool Database::trusts_holder(Session& session, std::int16_t shard,
                             std::chrono::microseconds lease) {
    const auto started = session.run(sql::start_of_holder, shard).get<std::int64_t>(0, 0);
    const auto number = static_cast<std::uint32_t>(shard);
    servers_.meet_holder(number, started);  // the next peek identifies it
    return servers_.trusts_holder(number, lease);
}

void Database::report_conflict(std::string_view purpose, const SqlError& error) {
    log_.write({.level = base::LogLevel::info,
                .event_name = "store.conflict",
                .message = "conflict with another transaction (SQLSTATE " + error.state +
                           "); the transaction is repeated",
                .correlation_id = {},
                .fields = {{"operation", std::string{purpose}}}});
}

void Database::leave_if_wrong(Connection& connection, const SqlError& error) {
    if (!is_of_wrong_connection(error)) return;
    connection.give_up();
    pool_.close_all();
    log_.write(
        {.level = base::LogLevel::warn,
         .event_name = {},
         .message = std::string{"all connections to PostgreSQL are opened again: "} + error.what(),
         .correlation_id = {},
         .fields = {}});
}

void Database::forget_machines_of(Connection& connection) {
    connection.give_up();
    pool_.close_idle();
}

void Database::report_unanswered(std::string_view purpose, const Unanswered& unanswered) {
    log_.write({.level = base::LogLevel::warn,
                .event_name = "commit.outcome_unknown",
                .message = "the outcome of a commit is unknown: " + unanswered.why,
                .correlation_id = {},
                .fields = {{"operation", std::string{purpose}}}});
    if (settings_.on_outcome_unknown) settings_.on_outcome_unknown(purpose);
}

bool Database::has_happened(const Unanswered& unanswered) {
    if (unanswered.evidence) {
        const auto give_up = std::chrono::steady_clock::now() + settings_.resolve_for;
        for (int number = 1; std::chrono::steady_clock::now() < give_up; ++number) {
            const Finding finding = check_evidence(*unanswered.evidence);
            if (finding == Finding::never) break;
            if (finding != Finding::not_yet) return finding == Finding::happened;
            pause_before(std::min(number, longest_pause), number);
        }
    }
    throw OutcomeUnknown{"outcome unknown: " + unanswered.why};
}

Database::Finding Database::check_evidence(const Evidence& evidence) {
    try {
        const auto connection = pool_.borrow();
        const RollBack roll_back{*connection, settings_.statement_timeout};
        const auto finds = [&](const Call& call) {
            const auto answers = connection->run({&call, 1}, false, settings_.statement_timeout);
            return !answers.front().empty();
        };
        const auto finds_locked = [&](const Call& call) {
            const std::array calls{Call{sql::begin_write}, call, Call{sql::rollback}};
            return !connection->run(calls, false, settings_.statement_timeout)[1].empty();
        };
        try {
            // `configure` fails on a replaced primary, which would not know the outcome. The order
            // matters, each query with its own snapshot: a transaction that has ended by the first
            // is visible to the second.
            (void)finds(configuration(sql::configure));
            if (finds(Call{sql::still_runs, evidence.transaction})) return Finding::not_yet;
            if (finds(evidence.row)) return Finding::happened;
            if (!evidence.before) return Finding::did_not;
            if (distributed_) {
                if (finds_locked(*evidence.before)) return Finding::did_not;
                if (finds(evidence.row)) return Finding::happened;  // while that waited
                return Finding::never;
            }
            if (finds(*evidence.before)) return Finding::did_not;
            // changed since, either by our transaction and then others, or by others alone
            return Finding::never;
        } catch (const SqlError& error) {
            if (is_of_machine(error, distributed_)) {
                forget_machines_of(*connection);
            } else if (!is_passing(error)) {
                throw;
            }
            leave_if_wrong(*connection, error);
        }
    } catch (const ConnectionLost&) {
        pool_.close_idle();
    } catch (const Unavailable&) {
        return Finding::not_yet;  // no server to ask
    }
    return Finding::not_yet;
}

bool Database::may_retry(const SqlError& error, int tries) {
    if (lost_preparation(error)) {
        if (prepare_.exchange(false)) {
            log_.write({.level = base::LogLevel::info,
                        .event_name = {},
                        .message = "prepared statements are lost between calls (is there a "
                                   "pooler?): from now on statements are sent unprepared",
                        .correlation_id = {},
                        .fields = {}});
        }
        return tries < max_tries;
    }
    if (is_lock_timeout(error)) return tries < max_waits;
    return (is_conflict(error) || is_of_wrong_connection(error)) && tries < max_tries;
}

void Database::with_retries(std::string_view purpose,
                            const std::function<void(TransactionAttempt&)>& attempt) {
    try {
        repeat_attempts(purpose, attempt);
    } catch (const Unavailable&) {
        outage_.failed();
        throw;
    }
}

void Database::repeat_attempts(std::string_view purpose,
                               const std::function<void(TransactionAttempt&)>& attempt) {
    for (int number = 1;; ++number) {
        int process = 0;
        std::optional<Unanswered> unanswered;
        {
            const auto connection = pool_.borrow();
            const RollBack roll_back{*connection, settings_.statement_timeout};
            // NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores): read after the exceptions below
            process = connection->backend_process();
            TransactionAttempt current{*connection, prepare_};
            try {
                return attempt(current);
            } catch (const ConnectionLost& lost) {
                // The connection may have died while idle, and the others with it: the next one is
                // new.
                pool_.close_idle();
                if (current.committing) {
                    unanswered.emplace(lost.what(), std::move(current.evidence));
                } else if (number > 1) {
                    throw Unavailable{lost.what()};
                }
            } catch (const SqlError& error) {
                leave_if_wrong(*connection, error);
                if (is_of_machine(error, distributed_)) {
                    forget_machines_of(*connection);
                    if (current.committing) {
                        unanswered.emplace(error.what(), std::move(current.evidence));
                    } else if (number > 1) {
                        throw Unavailable{error.what()};
                    }
                } else if (!may_retry(error, number)) {
                    if (is_timeout(error)) throw StatementTimeout{error.what()};
                    if (is_passing(error)) throw Unavailable{error.what()};
                    throw std::runtime_error{"PostgreSQL refused " + std::string{purpose} + ": " +
                                             error.what() + " (SQLSTATE " + error.state + ")"};
                }
                if (is_conflict(error)) report_conflict(purpose, error);
            }
        }
        if (unanswered) {
            report_unanswered(purpose, *unanswered);
            if (has_happened(*unanswered)) return;
            if (number > 1) throw Unavailable{unanswered->why};
        }
        pause_before(number, process);
    }
}

Session Database::session_of(TransactionAttempt& attempt, const Statement& begin) {
    return {*this,
            attempt.connection,
            attempt.evidence,
            {begin, attempt.prepare, settings_.statement_timeout + settings_.lock_timeout}};
}

void Database::write(std::string_view purpose, const std::function<bool(Session&)>& work) {
    if (Session* const whole = open_in(*this)) return whole->part(work);
    with_retries(purpose, [&](TransactionAttempt& attempt) {
        Session session = session_of(attempt, sql::begin_write);
        {
            const Opened opened{*this, session};
            if (!work(session) || !session.has_begun()) return;
        }
        attempt.committing = true;
        const Answer committed = session.run(sql::commit);
        base::check(committed.tag() == "COMMIT");
        outage_.succeeded();
    });
}

void Database::join(pg_conn* callers, const std::function<bool(Session&)>& work) {
    std::optional<Evidence> unused;  // the program commits
    const auto silence = settings_.statement_timeout + settings_.lock_timeout;
    try {
        Connection connection{callers, log_};
        learn_own_name();
        Session session{
            *this, connection, unused, {sql::savepoint, false, silence, /*of_program=*/true}};
        bool kept = false;
        try {
            const Opened opened{*this, session};
            kept = work(session);
        } catch (...) {
            try {
                session.leave(false);
            } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): report the first
            }
            throw;
        }
        session.leave(kept);
    } catch (const ConnectionLost& lost) {
        throw Unavailable{std::string{"the connection of the program broke: "} + lost.what()};
    } catch (const SqlError& error) {
        throw StatementRefused{
            {.sqlstate = error.state, .sqlite = 0, .constraint = error.constraint}, error.what()};
    }
}

Call Database::joining() const {
    return Call{sql::join_callers, std::to_string(settings_.statement_timeout.count()),
                std::to_string(settings_.lock_timeout.count())};
}

void Database::learn_own_name() {
    const std::lock_guard lock{own_name_mutex_};
    if (own_name_) return;
    const Call ask{sql::database_name};
    const auto answer = std::move(run("database name", Effect::none, {&ask, 1}).answers[0]);
    own_name_ = {answer.get<std::string>(0, 0), answer.get<std::int64_t>(0, 1)};
}

void Database::refuse_other_database(const Answer& joined) {
    const std::lock_guard lock{own_name_mutex_};
    const auto& [name, system] = own_name_.value();
    const auto theirs = joined.get<std::int64_t>(0, 2);
    const bool same_cluster = system == 0 || theirs == 0 || system == theirs;
    if (joined.get<std::string>(0, 1) == name && same_cluster) return;
    throw StatementRefused{{.sqlstate = "3D000", .sqlite = 0, .constraint = {}},
                           "the connection leads to another database than the engine's"};
}

bool Database::open_here() const { return open_in(*this) != nullptr; }

void Database::read(std::string_view purpose, const std::function<void(Session&)>& work) {
    if (Session* const whole = open_in(*this)) return work(*whole);
    with_retries(purpose, [&](TransactionAttempt& attempt) {
        Session session = session_of(attempt, sql::begin_read);
        work(session);
        if (session.has_begun()) attempt.connection.leave();
    });
}

void Database::append_queue_configuration(std::vector<Call>& calls) const {
    calls.push_back(configuration(sql::configure_queue));
    if (distributed_) calls.emplace_back(sql::plan_for_values);
}

Database::Answered Database::run(std::string_view purpose, Effect effect,
                                 std::span<const Call> calls) {
    if (Session* const whole = open_in(*this)) return run_as_part(*whole, calls);
    const auto give_up = std::chrono::steady_clock::now() + settings_.resolve_for;
    const auto in_time = [&] { return std::chrono::steady_clock::now() < give_up; };
    for (int number = 1;; ++number) {
        try {
            return run_once(purpose, effect, calls);
        } catch (const OutcomeUnknown&) {
            if (effect != Effect::repeatable || !in_time()) throw;
        } catch (const Unavailable& unavailable) {
            if (number == 1) throw;  // nothing happened
            if (!in_time()) throw OutcomeUnknown{unavailable.what()};
        }
        pause_before(std::min(number, longest_pause), number);
    }
}

Database::Answered Database::run_as_part(Session& whole, std::span<const Call> calls) {
    Answered answered{};
    whole.part([&](Session& session) {
        std::vector<Call> all;
        all.reserve(calls.size() + 2);
        append_queue_configuration(all);
        const auto configured = static_cast<std::ptrdiff_t>(all.size());
        all.insert(all.end(), calls.begin(), calls.end());
        answered.answers = session.run_with_settings(all);
        answered.answers.erase(answered.answers.begin(), answered.answers.begin() + configured);
        answered.now = session.now();
        return true;
    });
    return answered;
}

Database::Answered Database::run_once(std::string_view purpose, Effect effect,
                                      std::span<const Call> calls) {
    Answered answered{};
    with_retries(purpose, [&](TransactionAttempt& attempt) {
        std::vector<Call> all;
        all.reserve(calls.size() + 4);
        all.emplace_back(sql::begin_write);
        append_queue_configuration(all);
        auto before = static_cast<std::ptrdiff_t>(all.size());
        // Each call may use its full time-out, and the server may send several answers at once.
        const auto silence = (settings_.statement_timeout + settings_.lock_timeout) *
                             static_cast<std::int64_t>(calls.size() + 1);
        if (needs_clock(calls)) {
            answered.now = note_server(attempt.connection.run(all, attempt.prepare, silence)[1]);
            all = clock_parameter_.given(calls, answered.now);
            before = 0;
        } else {
            all.insert(all.end(), calls.begin(), calls.end());
        }
        all.emplace_back(sql::commit);
        attempt.committing = effect != Effect::none;
        auto rows = attempt.connection.run(all, attempt.prepare, silence);
        attempt.committing = false;
        if (before > 0) answered.now = note_server(rows[1]);
        if (effect != Effect::none) outage_.succeeded();
        rows.pop_back();
        rows.erase(rows.begin(), rows.begin() + before);
        answered.answers = std::move(rows);
    });
    return answered;
}

}  // namespace sundial::postgres
