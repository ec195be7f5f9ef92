#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "adapters/sqlite/connection.hpp"
#include "adapters/sqlite/session.hpp"
#include "base/log.hpp"

namespace sundial::sqlite {

class Health;
class Time;

/// The only thread that writes, with the only connection that does. Runs the waiting jobs one after
/// another in one SQLite transaction (group commit: one fsync for all). A job that fails is undone
/// alone. All jobs get their answers after the commit. A patient job waits for another one, because
/// every commit writes whole pages, and jobs change many of the same. Checkpoints when no job
/// waits, or when the log has grown.
class Writer {
public:
    /// Committed if it returns true; undone if it returns false or throws.
    using Work = std::function<bool(Session&)>;

    /// Takes an initialised `connection`, which no other thread may use from now on.
    Writer(std::unique_ptr<Connection> connection, Time& time, Health& health, base::Log& log);
    /// Runs the waiting jobs, records the clean stop, and closes the connection.
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    /// Runs `work`; its changes are on stable storage when this returns. Rethrows the exceptions of
    /// `work`. Throws Unavailable if too many jobs wait, the disk is full, or the commit that
    /// included the job failed. Called inside another work, it becomes part of that, and is kept or
    /// undone with it.
    void run(const Work& work) { run(work, Patience{}); }
    /// The job shares the commit of the next job that is not patient and comes after `at_least`. It
    /// is committed alone after `at_most`.
    struct Patience {
        std::chrono::milliseconds at_least{}, at_most{};
    };
    void run(const Work& work, Patience patience);
    /// The session of the work that this thread runs; null on all other threads.
    [[nodiscard]] Session* open_here();

private:
    struct Job {
        const Work* work;
        std::promise<void> answer;
        bool done = false;  // its work returned true
        std::exception_ptr error;
        std::chrono::steady_clock::time_point ripe{};  // of a patient job: once it takes company
    };

    void enqueue(Job& job, std::deque<Job*>& queue);
    /// A patient job that no commit has taken waits no longer.
    void hurry(Job& job);
    /// Moves waiting jobs to `batch`, as many as one commit takes.
    void take_jobs(std::vector<Job*>& batch);
    void loop();
    void carry_out(const std::vector<Job*>& batch);
    void carry_out_within(const std::vector<Job*>& batch);
    void carry_out_one(Job& job, bool alone, Ledger& ledger);
    /// Runs `work` under a savepoint of the open transaction. Keeps its changes if it returns true.
    void carry_out_part(const Work& work, Session& whole);
    void fail(const std::vector<Job*>& batch, const std::exception_ptr& error);
    /// After a write failed on a full disk: tests whether writing works again, even if no caller
    /// writes.
    void check_free_space();
    void checkpoint();
    void mark_clean();
    void warn(const std::string& what, const std::exception& why);

    std::unique_ptr<Connection> connection_;
    Session* open_ = nullptr;  // of the running work
    // its first changes are undone, so the rest must be undone too
    bool lost_ = false;
    Time& time_;
    Health& health_;
    base::Log& log_;

    std::mutex mutex_;
    std::condition_variable work_;
    std::condition_variable space_;
    std::deque<Job*> waiting_;
    std::deque<Job*> patient_;  // committed together with those that wait
    bool stopping_ = false;

    int page_size_ = page_size;  // of the file: older ones have larger pages
    struct Wal {
        int pages = 0;
        int moved = 0;  // of them, already copied to the database
        [[nodiscard]] int unmoved() const { return pages - moved; }
    } wal_;
    std::thread thread_;
};

}  // namespace sundial::sqlite
