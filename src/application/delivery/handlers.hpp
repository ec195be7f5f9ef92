#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "application/ports/event_queue.hpp"
#include "domain/event.hpp"
#include "domain/outcome.hpp"

namespace sundial {

/// A handler's result for one event.
struct Handled {
    Verdict verdict = Verdict::accepted;
    std::string reason{};               // why not accepted; for people
    std::optional<Instant> again_at{};  // snoozed until then: not an attempt
};

/// Runs in this process, on any thread, several at once. An exception is a failed attempt that is
/// retried, as with Verdict::retryable. A handler may also take a stop token. Its stop is requested
/// when the result can no longer be used or the engine no longer waits for it.
class Handler {
public:
    using Function = std::function<Handled(const Event&, const std::stop_token&)>;

    template <class Work>
        requires(!std::same_as<std::remove_cvref_t<Work>, Handler>)
    Handler(Work work) {  // NOLINT(google-explicit-constructor)
        if constexpr (std::invocable<const Work&, const Event&, const std::stop_token&>) {
            function_ = std::move(work);
        } else {
            function_ = [work = std::move(work)](const Event& event, const std::stop_token&) {
                return work(event);
            };
        }
    }
    Handled operator()(const Event& event, const std::stop_token& stop) const {
        return function_(event, stop);
    }

private:
    Function function_;
};

/// How the events of one type are handled.
struct HandlerTerms {
    std::size_t threads = 0;  // of their own; 0: those that all such types share
    std::chrono::microseconds time_limit{std::chrono::seconds{10}};  // then a stop is requested
};

/// The lanes whose events one pool of threads handles. At most `limit` of them are held at once, so
/// that they cannot take the slots of others.
struct HandlerPool {
    std::vector<Lane> lanes;
    std::size_t limit = 0;
    bool ahead =
        false;  // quick handlers may have more of them: as many as end until the next claim
};

/// The in-process handlers, by event type. Events of that type without an endpoint go to them.
/// Filled before the worker starts, then only read.
class Handlers {
public:
    /// At most one handler per type: a second `on` replaces the first.
    void on(std::string event_type, Handler handler, const HandlerTerms& terms = {});
    /// The types that have one.
    [[nodiscard]] std::vector<std::string> types() const;
    /// Null if there is none.
    [[nodiscard]] const Handler* find(std::string_view event_type) const;
    /// Of a type that has a handler; otherwise the defaults.
    [[nodiscard]] HandlerTerms terms(std::string_view event_type) const;
    /// Each pool of threads; the shared one has at most `shared` events.
    [[nodiscard]] std::vector<HandlerPool> pools(std::size_t shared) const;

private:
    struct Entry {
        Handler handler;
        HandlerTerms terms;
    };
    std::map<std::string, Entry, std::less<>> by_type_;
};

/// Runs `handler` and returns its outcome, even if it throws. The caller sets `duration`.
[[nodiscard]] Outcome run_handler(const Handler& handler, const Event& event,
                                  const std::stop_token& stop = {});

}  // namespace sundial
