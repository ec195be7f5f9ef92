#pragma once

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

/// The one thread that writes, with the one connection that does. What waits is carried out one
/// after another in one transaction of SQLite (group commit: one fsync for all), each part undone
/// alone if it fails, and all of it answered after the commit. Checkpoints when nothing waits, or
/// the log has grown.
class Writer {
public:
    /// Commits if it returns true; undone if it returns false or throws.
    using Work = std::function<bool(Session&)>;

    /// `connection` is ready, and nobody else's from now on.
    Writer(std::unique_ptr<Connection> connection, Time& time, Health& health, base::Log& log);
    /// Carries out what waits, notes that the stop was clean, and closes the connection.
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    /// On stable storage once this returns. Passes on what `work` throws. Throws Unavailable if too
    /// many wait, if the disk is full, and if the commit failed, of whatever was part of it. From
    /// inside a work it is a part of that, and kept or undone with it.
    void run(const Work& work);
    /// Of the work that this thread carries out; null on all other threads.
    [[nodiscard]] Session* open_here();

private:
    struct Job {
        const Work* work;
        std::promise<void> answer;
        bool done = false;  // it returned true
        std::exception_ptr error;
    };

    void loop();
    void carry_out(const std::vector<Job*>& batch);
    void carry_out_within(const std::vector<Job*>& batch);
    void carry_out_one(Job& job, bool alone, Ledger& ledger);
    /// Keeps what `work` does, within the open transaction, if it returns true.
    void carry_out_part(const Work& work, Session& whole);
    void fail(const std::vector<Job*>& batch, const std::exception_ptr& error);
    /// After a write found none: nobody may write again before it is known that one can.
    void look_for_room();
    void checkpoint();
    void say_clean();
    void warn(const std::string& what, const std::exception& why);

    std::unique_ptr<Connection> connection_;
    Session* open_ = nullptr;  // of the work under way
    bool lost_ = false;        // what it did first is undone: the rest must be too
    Time& time_;
    Health& health_;
    base::Log& log_;

    std::mutex mutex_;
    std::condition_variable work_;
    std::condition_variable space_;
    std::deque<Job*> waiting_;
    bool stopping_ = false;

    struct Wal {
        int pages = 0;
        int moved = 0;  // of them, already in the database
        [[nodiscard]] int unmoved() const { return pages - moved; }
    } wal_;
    std::thread thread_;
};

}  // namespace sundial::sqlite
