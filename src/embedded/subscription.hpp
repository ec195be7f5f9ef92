#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "application/streams/follower.hpp"
#include "embedded/call_checks.hpp"
#include "embedded/parts.hpp"
#include "sundial/recording.hpp"

/// The common parts of subscriptions to the feed and to outcomes.
namespace sundial::embedding {

/// The failure of a function of the program, if any. A std::exception propagates with its own text;
/// any other exception gets a text here.
template <class Work>
HandlingFailure failure_in(Work work) {
    try {
        const Result<Done> done = work();
        if (done) return std::nullopt;
        return done.error().code + ": " + done.error().detail;
    } catch (const std::exception&) {
        throw;
    } catch (...) {
        return "it threw an exception of unknown type";
    }
}

/// A follower, and how its own thread runs it until a stop is requested.
struct Followed {
    std::unique_ptr<Follower> follower;
    std::function<void(const std::stop_token&)> run;
};

struct Subscription::Parts {
    Parts(std::shared_ptr<Streams::Parts> its_streams,
          std::shared_ptr<const Callbacks> its_handling, Followed its_followed)
        : streams(std::move(its_streams)),
          handling(std::move(its_handling)),
          followed(std::move(its_followed)) {}

    ~Parts() { end_thread(); }
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;

    /// From any thread. A thread that ends begins again.
    void start() {
        std::thread ended;
        {
            const std::lock_guard lock(starting);
            if (closing) return;
            if (running || catching_up) {
                again = catching_up || stop.stop_requested();
                return;
            }
            ended = std::move(thread);
            stop = {};
            running = true;
            try {
                thread = std::thread([this] { run(); });
            } catch (...) {
                running = false;
                if (ended.joinable()) ended.join();
                throw;
            }
        }
        if (ended.joinable()) ended.join();
    }
    /// False if another thread uses the follower. It must not be driven by two.
    bool begin_catching_up() {
        const std::lock_guard lock(starting);
        if (running || catching_up) return false;
        catching_up = true;
        return true;
    }
    /// Called in its handler: the thread ends after the handler.
    void request_stop() {
        const std::lock_guard lock(starting);
        again = false;
        stop.request_stop();
    }
    /// The same, and waits. Not in its handler.
    void end_thread() {
        std::thread ended;
        {
            const std::lock_guard lock(starting);
            again = false;
            closing = true;  // so that its handler cannot begin it again meanwhile
            stop.request_stop();
            ended = std::move(thread);
        }
        if (ended.joinable()) ended.join();
        const std::lock_guard lock(starting);
        closing = false;
    }
    /// The subscription was destroyed by its handler, so it ends after that.
    void depart(std::unique_ptr<Parts> its) {
        const std::lock_guard lock(starting);
        ++streams->departing;
        again = false;
        closing = true;
        stop.request_stop();
        if (thread.joinable()) thread.detach();
        caught_up.request_stop();
        itself = std::move(its);
    }
    /// Called by the thread that passed the events on, as the last use of `parts`.
    static void end_if_departing(Parts& parts) {
        if (!parts.itself) return;
        const auto streams = parts.streams;
        std::exchange(parts.itself, nullptr).reset();
        --streams->departing;
        streams->departing.notify_all();
    }

    const OwnProcess process;
    const std::shared_ptr<Streams::Parts> streams;
    const std::shared_ptr<const Callbacks> handling;
    std::stop_source caught_up;  // ends `catch_up`
    const Followed followed;
    std::unique_ptr<Parts> itself;  // after `depart`
    std::mutex starting;    // guards all below; held while `thread` is set: its handler may depart
    std::stop_source stop;  // of the thread
    bool running = false;   // the thread has not ended
    bool again = false;     // it begins again when it ends
    bool closing = false;   // it must not
    bool catching_up = false;  // another thread uses the follower
    std::thread thread;

private:
    void run() {
        for (bool more = true; more;) {
            std::stop_token token;
            {
                const std::lock_guard lock(starting);
                token = stop.get_token();
            }
            followed.run(token);
            const std::lock_guard lock(starting);
            more = std::exchange(again, false);
            if (more) stop = {};
            running = more;
        }
        end_if_departing(*this);
    }
};

}  // namespace sundial::embedding
