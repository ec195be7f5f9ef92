#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "domain/event.hpp"
#include "domain/outcome.hpp"

namespace sundial {

/// A handler's result for one event.
struct Handled {
    Verdict verdict = Verdict::accepted;
    std::string reason{};  // why not accepted; for people
};

/// Runs in this process, on any thread, several at once. An exception is a failed attempt that is
/// retried, as with Verdict::retryable.
using Handler = std::function<Handled(const Event&)>;

/// The in-process handlers, by event type. Events of that type without an endpoint go to them.
/// Filled before the worker starts, then only read.
class Handlers {
public:
    /// At most one handler per type: a second `on` replaces the first.
    void on(std::string event_type, Handler handler);
    /// The types that have one.
    [[nodiscard]] std::vector<std::string> types() const;
    /// Null if there is none.
    [[nodiscard]] const Handler* find(std::string_view event_type) const;

private:
    std::map<std::string, Handler, std::less<>> by_type_;
};

/// Runs `handler` and returns its outcome, even if it throws. The caller sets `duration`.
[[nodiscard]] Outcome run_handler(const Handler& handler, const Event& event);

}  // namespace sundial
