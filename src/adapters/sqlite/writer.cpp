#include "adapters/sqlite/writer.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "adapters/sqlite/database_file.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/time.hpp"
#include "adapters/sqlite/transaction_sql.hpp"
#include "base/check.hpp"

namespace sundial::sqlite {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t max_in_batch = 200;   // maximum jobs that one answer waits for
constexpr std::size_t max_waiting = 4'096;  // callers block, so never more than there are threads
constexpr auto wait_limit = 5s;             // maximum wait for a place in the queue
// Checkpoints: copying 16 MB of log takes tens of milliseconds; a smaller log is copied when no job
// waits.
constexpr int bytes_at_once = 16 * 1024 * 1024;
constexpr int bytes_at_most = 256 * 1024 * 1024;  // then writes wait until readers release the log
constexpr auto idle = 500ms;
constexpr Statement page_size_of_file{"PRAGMA page_size"};

}  // namespace

Writer::Writer(std::unique_ptr<Connection> connection, Time& time, Health& health, base::Log& log)
    : connection_{std::move(connection)}, time_{time}, health_{health}, log_{log} {
    connection_->report_to(health_);
    page_size_ = first_of(connection_->query(page_size_of_file), [](Cursor& row) {
                     return row.get<std::int32_t>(0);
                 }).value();
    sqlite3_wal_hook(
        connection_->handle(),
        [](void* its_wal, sqlite3*, const char*, int pages) {
            auto& wal = *static_cast<Wal*>(its_wal);
            if (pages < wal.pages) wal.moved = 0;  // the log has restarted
            wal.pages = pages;
            return SQLITE_OK;
        },
        &wal_);
    thread_ = std::thread{[this] { loop(); }};
}

Writer::~Writer() {
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
    }
    work_.notify_all();
    thread_.join();
}

void Writer::run(const Work& work, Patience patience) {
    if (Session* const whole = open_here()) {
        return carry_out_part(work, *whole);
    }
    health_.check();
    Job job{.work = &work, .answer = {}, .error = {}};
    auto answer = job.answer.get_future();
    if (patience.at_most > 0ms) {
        job.ripe = std::chrono::steady_clock::now() + patience.at_least;
        enqueue(job, patient_);
        if (answer.wait_for(patience.at_most) == std::future_status::timeout) hurry(job);
    } else {
        enqueue(job, waiting_);
        work_.notify_one();
    }
    answer.get();
    if (job.error) std::rethrow_exception(job.error);
}

void Writer::enqueue(Job& job, std::deque<Job*>& queue) {
    std::unique_lock lock{mutex_};
    if (!space_.wait_for(lock, wait_limit, [&] { return waiting_.size() < max_waiting; })) {
        throw Unavailable{"too many writes are waiting for the disk"};
    }
    if (stopping_) throw Unavailable{"the database is being closed"};
    queue.push_back(&job);
}

void Writer::hurry(Job& job) {
    {
        const std::lock_guard lock{mutex_};
        if (std::erase(patient_, &job) == 0) return;
        waiting_.push_back(&job);
    }
    work_.notify_one();
}

void Writer::take_jobs(std::vector<Job*>& batch) {
    const auto take_while = [&](std::deque<Job*>& jobs, auto wanted) {
        while (!jobs.empty() && batch.size() < max_in_batch && wanted(*jobs.front())) {
            batch.push_back(jobs.front());
            jobs.pop_front();
        }
    };
    take_while(waiting_, [](const Job&) { return true; });
    const auto now = std::chrono::steady_clock::now();
    take_while(patient_, [&](const Job& job) { return stopping_ || job.ripe <= now; });
}

Session* Writer::open_here() {
    return std::this_thread::get_id() == thread_.get_id() ? open_ : nullptr;
}

void Writer::loop() {
    std::vector<Job*> batch;
    for (;;) {
        {
            std::unique_lock lock{mutex_};
            const auto ready = [&] { return stopping_ || !waiting_.empty(); };
            if (wal_.unmoved() == 0 && !health_.is_full()) {
                work_.wait(lock, ready);
            } else if (!work_.wait_for(lock, idle, ready)) {
                lock.unlock();
                if (wal_.unmoved() > 0) checkpoint();
                if (health_.is_full()) check_free_space();
                continue;
            }
            if (waiting_.empty() && patient_.empty()) break;
            take_jobs(batch);
        }
        space_.notify_all();
        carry_out(batch);
        batch.clear();
        if (wal_.unmoved() >= bytes_at_once / page_size_) checkpoint();
    }
    mark_clean();
    connection_.reset();
}

void Writer::carry_out(const std::vector<Job*>& batch) {
    try {
        health_.check();
        carry_out_within(batch);
    } catch (...) {
        connection_->roll_back();
        fail(batch, std::current_exception());
    }
    // This thread holds no error any more, so each is destroyed by a caller that has read it.
    for (Job* job : batch) job->answer.set_value();
}

void Writer::carry_out_within(const std::vector<Job*>& batch) {
    const auto changes_before = connection_->total_changes();
    Ledger ledger;
    connection_->execute(sql::begin_write);
    for (Job* job : batch) carry_out_one(*job, batch.size() == 1, ledger);
    const bool changed =
        connection_->total_changes() != changes_before || ledger.has_changed_schema();
    if (!changed ||
        std::none_of(batch.begin(), batch.end(), [](const Job* job) { return job->done; })) {
        connection_->execute(sql::rollback);
        return;
    }
    ledger.store(*connection_, time_.now());
    connection_->execute(sql::commit);
    health_.full(false);
}

void Writer::carry_out_one(Job& job, bool alone, Ledger& ledger) {
    // A single job needs no savepoint: there are no others to protect from its rollback.
    if (!alone) connection_->execute(sql::savepoint);
    Session session{*connection_, time_.now()};
    open_ = &session;
    lost_ = false;
    try {
        job.done = (*job.work)(session);
        if (job.done) ledger.add(session.ledger);
        open_ = nullptr;
    } catch (...) {
        open_ = nullptr;
        job.error = std::current_exception();
        // A full disk rolls back the transaction of all jobs.
        if (!connection_->in_transaction()) throw Unavailable{"the transaction was rolled back"};
    }
    if (std::exchange(lost_, false)) {
        connection_->roll_back();
        throw Unavailable{"the transaction was rolled back"};
    }
    if (alone) return;
    if (!job.done) connection_->execute(sql::rollback_to_savepoint);
    connection_->execute(sql::release_savepoint);
}

void Writer::carry_out_part(const Work& work, Session& whole) {
    connection_->execute(sql::savepoint);
    Session part{whole.connection, whole.now};
    open_ = &part;
    const auto end = [&](bool kept) {
        open_ = &whole;
        if (!connection_->in_transaction()) {
            // A full disk has rolled back everything. A caller that continues as if only a part had
            // failed must not write outside of a transaction.
            lost_ = true;
            connection_->execute(sql::begin_write);
            return;
        }
        if (!kept) connection_->execute(sql::rollback_to_savepoint);
        connection_->execute(sql::release_savepoint);
        if (kept) whole.ledger.add(part.ledger);
    };
    bool kept = false;
    try {
        kept = work(part);
    } catch (...) {
        end(false);
        throw;
    }
    end(kept);
}

/// The whole batch is undone. A job that caused an error gets its own error.
void Writer::fail(const std::vector<Job*>& batch, const std::exception_ptr& error) {
    for (Job* job : batch) {
        if (!job->error) job->error = error;
    }
}

void Writer::check_free_space() {
    try {
        connection_->execute(sql::begin_write);
        Ledger{}.store(*connection_, time_.now());
        connection_->execute(sql::commit);
        health_.full(false);
    } catch (const std::exception&) {
        connection_->roll_back();  // still full
    }
}

void Writer::checkpoint() {
    try {
        health_.check();
        // Readers prevent the log from restarting only while they overlap each other.
        const auto wal = connection_->checkpoint(wal_.pages >= bytes_at_most / page_size_);
        wal_ = {wal.pages, wal.checkpointed};
    } catch (const std::exception& error) {
        warn("the write-ahead log could not be copied into the database", error);  // retried later
    }
}

void Writer::mark_clean() {
    try {
        health_.check();
        connection_->execute(sql::set_setting, std::string_view{"clean_stop"}, true);
    } catch (const std::exception& error) {
        warn("the next start checks the file", error);
    }
}

void Writer::warn(const std::string& what, const std::exception& why) {
    log_.write({.level = base::LogLevel::warn,
                .event_name = {},
                .message = what + ": " + why.what(),
                .correlation_id = {},
                .fields = {}});
}

}  // namespace sundial::sqlite
