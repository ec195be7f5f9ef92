#include "application/operations/operations.hpp"

#include <algorithm>
#include <utility>

#include "application/audit/action_audit.hpp"
#include "application/ports/failures.hpp"
#include "application/requests/edits.hpp"
#include "application/transactions/after_commit.hpp"
#include "domain/outcome.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;

Operation unheld(Ids& ids, OperationKind kind, Instant now) {
    return {.id = OperationId{ids.fresh()},
            .kind = kind,
            .reason = std::nullopt,
            .schedule = std::nullopt,
            .schedule_version = std::nullopt,
            .total = std::nullopt,
            .cursor = std::nullopt,
            .held_by = std::nullopt,
            .claimable_at = now,
            .created_at = now,
            .updated_at = now,
            .finished_at = std::nullopt,
            .request = std::nullopt};
}

/// Numbers them after the earlier ones of `operation`, up to the stored maximum.
void keep_failures(Transaction& tx, const Operation& operation,
                   const std::vector<OperationFailure>& failures) {
    std::vector<NumberedFailure> kept;
    std::uint64_t number = operation.failed;
    for (const OperationFailure& failure : failures) {
        if (++number > max_failures_kept) break;
        kept.push_back({number, failure});
        kept.back().failure.detail = storable_reason(failure.detail);
    }
    if (!kept.empty()) tx.operations().add_failures(operation.id, kept);
}

}  // namespace

Operation unheld_operation(Ids& ids, OperationKind kind, const Schedule& schedule, Instant now) {
    Operation operation = unheld(ids, kind, now);
    operation.schedule = schedule.id;
    operation.schedule_version = schedule.version;
    return operation;
}

/// Marks that this thread works on an operation, or is about to claim one.
class Operations::AtWork {
public:
    explicit AtWork(Operations& operations) : operations_(operations) {
        const std::lock_guard lock(operations_.mutex_);
        ++operations_.at_work_;
    }
    ~AtWork() {
        const std::lock_guard lock(operations_.mutex_);
        --operations_.at_work_;
        operations_.changed_.notify_all();
    }
    AtWork(const AtWork&) = delete;
    AtWork& operator=(const AtWork&) = delete;

private:
    Operations& operations_;
};

Operations::Operations(const OperationSettings& settings, Ports ports)
    : settings_(settings), ports_(std::move(ports)) {}

Operation Operations::start(Transaction& tx, OperationKind kind, const Schedule& schedule,
                            std::optional<std::string> cursor) {
    Operation operation = fresh(tx, kind);
    operation.schedule = schedule.id;
    operation.schedule_version = schedule.version;
    operation.cursor = std::move(cursor);
    tx.operations().add(operation);
    return operation;
}

OperationResult<Operation> Operations::start_bulk(Transaction& tx, std::string request,
                                                  std::uint64_t total) {
    if (tx.operations().running_for_start(OperationKind::bulk) >= max_bulk_operations) {
        return TooManyOperations{max_bulk_operations};
    }
    Operation operation = fresh(tx, OperationKind::bulk);
    operation.request = std::move(request);
    operation.total = total;
    tx.operations().add(operation);
    return operation;
}

Operation Operations::fresh(Transaction& tx, OperationKind kind) {
    Operation operation = unheld(ports_.ids, kind, tx.now());
    operation.held_by = settings_.instance;
    operation.claimable_at = tx.now() + settings_.lease;
    return operation;
}

Operation Operations::begin(const Operation& started) {
    const AtWork at_work(*this);
    report(started, "operation started");
    Operation operation = started;
    try {
        const auto task = ports_.make_task(operation);
        // Enough steps for a small operation: one for each part (events, users, the end).
        for (int step = 0; step < 3 && operation.held_by; ++step) {
            const auto after = batch(operation, *task);
            if (!after) break;
            operation = *after;
        }
        if (operation.held_by) {
            change(operation, [&](const Operation& held, Instant now) {
                operation = release(held, now);
                return operation;
            });
        }
    } catch (const std::exception& error) {
        report_wait(error);  // the operation exists: `run` continues it after the lease
    }
    after_commit([this] { wake(); });
    return operation;
}

OperationResult<Operation> Operations::stop(std::string_view id, std::optional<Version> expected,
                                            const Caller& caller) {
    const auto missing = NotFound{Noun::operation, std::string{id}};
    const auto uuid = base::parse_uuid(id);
    if (!uuid) return missing;
    return in_transaction(ports_.store, [&](Transaction& tx) -> OperationResult<Operation> {
        const auto operation = tx.operations().lock(OperationId{*uuid});
        if (!operation) return missing;
        if (auto refused = refuse_version(Noun::operation, id, expected, operation->version)) {
            return *refused;
        }
        if (is_over(*operation)) return *operation;
        Operation stopped =
            end(*operation, OperationStatus::stopped, "stopped by request", tx.now());
        tx.operations().update(stopped);
        record_operation(tx, stopped, "OperationStopped", "{}", {caller, ports_.ids.fresh()});
        return stopped;
    });
}

void Operations::run() {
    for (;;) {
        std::chrono::microseconds at_most = settings_.check_interval;
        try {
            while (work_on_one()) {
            }
            at_most = std::min(at_most, rest());
        } catch (const std::exception& error) {
            report_wait(error);
        }
        wait(at_most);
        const std::lock_guard lock(mutex_);
        if (stopping_) return;
    }
}

void Operations::shut_down() {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
}

void Operations::drain() {
    for (;;) {
        if (work_on_one()) continue;
        std::unique_lock lock(mutex_);
        if (at_work_ == 0 || stopping_) return;
        changed_.wait(lock, [this] { return at_work_ == 0 || stopping_; });
    }
}

std::map<OperationKind, std::size_t> Operations::running() {
    return in_read(ports_.store, [](Transaction& tx) { return tx.operations().running(); });
}

bool Operations::work_on_one() {
    const AtWork at_work(*this);
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) return false;
    }
    const auto operation = claim_one();
    if (operation) work_through(*operation);
    return operation.has_value();
}

std::optional<Operation> Operations::claim_one() {
    std::optional<Operation> claimed;
    ports_.store.transact([&](Transaction& tx) {
        claimed = tx.operations().lock_claimable(tx.now());
        if (!claimed) return false;
        claimed = claim(*std::move(claimed), settings_.instance, tx.now(), settings_.lease);
        tx.operations().update(*claimed);
        return true;
    });
    return claimed;
}

void Operations::work_through(Operation operation) {
    const auto task = ports_.make_task(operation);
    auto reported_at = ports_.monotonic.now();
    for (;;) {
        const auto after = batch(operation, *task);
        if (!after || !after->held_by) return;
        operation = *after;
        {
            const std::lock_guard lock(mutex_);
            if (stopping_) break;
        }
        if (ports_.monotonic.now() - reported_at >= settings_.report_interval) {
            reported_at = ports_.monotonic.now();
            report(operation, "operation continues");
        }
    }
    change(operation, [](const Operation& held, Instant now) { return release(held, now); });
}

std::optional<Operation> Operations::batch(const Operation& held, OperationTask& task) {
    std::optional<Operation> after;
    Batch did;
    try {
        ports_.store.transact([&](Transaction& tx) {
            after = tx.operations().lock(held.id);
            if (!after || after->version != held.version) {
                after.reset();
                return false;
            }
            if (!after->total) after->total = task.count(tx, *after);
            did = task.run(tx, *after);
            after->done += did.done;
            keep_failures(tx, *after, did.failures);
            after->failed += did.failures.size();
            if (did.cursor) after->cursor = did.cursor;
            const Instant now = tx.now();
            after = did.moot   ? end(*std::move(after), OperationStatus::stopped, *did.moot, now)
                    : did.last ? complete(*std::move(after), now)
                    : did.pause > 0us ? pause(*std::move(after), now, now + did.pause)
                                      : go_on(*std::move(after), now, settings_.lease);
            tx.operations().update(*after);
            return true;
        });
    } catch (const Unavailable&) {
        throw;
    } catch (const std::exception& error) {
        return failed(held, error.what());
    }
    if (!after) return after;
    if (did.earliest != never) ports_.wakeups.due_at(did.earliest);
    if (is_over(*after)) report(*after, "operation ended");
    task.committed();
    return after;
}

template <class Change>
void Operations::change(const Operation& held, Change change) {
    ports_.store.transact([&](Transaction& tx) {
        const auto operation = tx.operations().lock(held.id);
        if (!operation || operation->version != held.version) return false;
        tx.operations().update(change(*operation, tx.now()));
        return true;
    });
}

std::optional<Operation> Operations::failed(const Operation& held, const char* why) {
    std::optional<Operation> after;
    change(held, [&](const Operation& operation, Instant now) {
        after = end(operation, OperationStatus::failed, storable_reason(why), now);
        return *after;
    });
    if (after) report(*after, "operation ended", base::LogLevel::error);
    return after;
}

Instant Operations::next_at() {
    return in_read(ports_.store, [](Transaction& tx) { return tx.operations().next_claimable(); })
        .value_or(never);
}

std::chrono::microseconds Operations::rest() {
    return in_read(ports_.store, [](Transaction& tx) {
        const auto next = tx.operations().next_claimable();
        return next ? std::max(*next - tx.now(), 0us) : std::chrono::microseconds::max();
    });
}

void Operations::wait(std::chrono::microseconds at_most) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, at_most, [this] { return woken_ || stopping_; });
    woken_ = false;
}

void Operations::wake() {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    changed_.notify_all();
}

void Operations::report_wait(const std::exception& error) {
    base::LogLine line;
    line.level = base::LogLevel::warn;
    line.message = std::string{"operations wait: "} + error.what();
    ports_.log.write(std::move(line));
}

void Operations::report(const Operation& operation, const char* what, base::LogLevel level) {
    base::LogLine line;
    line.level = level;
    line.message = what;
    line.fields = {{"operationId", to_string(operation.id)},
                   {"kind", std::string{to_string(operation.kind)}},
                   {"status", std::string{to_string(operation.status)}},
                   {"done", static_cast<std::int64_t>(operation.done)},
                   {"failed", static_cast<std::int64_t>(operation.failed)}};
    if (operation.schedule) line.fields.emplace_back("scheduleId", to_string(*operation.schedule));
    if (operation.total) {
        line.fields.emplace_back("total", static_cast<std::int64_t>(*operation.total));
    }
    if (operation.reason) line.fields.emplace_back("reason", *operation.reason);
    ports_.log.write(std::move(line));
}

}  // namespace sundial
