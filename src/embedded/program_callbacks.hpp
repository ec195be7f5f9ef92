#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "application/observation/observer.hpp"
#include "application/outcomes/outcome_signal.hpp"
#include "base/log.hpp"
#include "embedded/call_checks.hpp"
#include "sundial/embedding.hpp"

/// Calls the program's functions for log lines and for the ends of attempts.
namespace sundial::embedding {

/// Calls a function of the program to inform it. If it throws, the engine's work continues.
template <class Function, class... Values>
void report(const Callbacks& callbacks, const Function& function, const Values&... values) {
    if (!function) return;
    const Callbacks::Call call{callbacks};
    try {
        function(values...);
    } catch (...) {
        return;
    }
}

/// Passes lines on to the program's callbacks.
class CallbackLog final : public base::Log {
public:
    CallbackLog(const Callbacks& callbacks, const Options& options)
        : callbacks_(callbacks), line_(options.log), record_(options.log_record) {}
    void write(base::LogLine line) override {
        if (!wants(line.level)) return;
        report(callbacks_, line_,
               line.event_name.empty() ? line.message : line.event_name + ": " + line.message);
        report(callbacks_, record_,
               LogRecord{.level = static_cast<LogRecord::Level>(line.level),
                         .event_name = std::move(line.event_name),
                         .message = std::move(line.message),
                         .fields = std::move(line.fields)});
    }
    [[nodiscard]] bool wants(base::LogLevel level) const override {
        return (line_ || record_) && level >= base::LogLevel::info;
    }

private:
    static_assert(static_cast<int>(LogRecord::Level::error) ==
                  static_cast<int>(base::LogLevel::error));
    const Callbacks& callbacks_;
    const std::function<void(const std::string&)> line_;
    const std::function<void(const LogRecord&)> record_;
};

/// Passes the ends of attempts on, and wakes those who follow the ends of events.
class CallbackObserver final : public EngineObserver {
public:
    CallbackObserver(const Callbacks& callbacks, const Options& options, OutcomeSignal& signal)
        : callbacks_(callbacks), listener_(options.on_attempt), signal_(signal) {}
    void transition(std::string_view /*event_type*/, EventStatus status,
                    std::size_t /*count*/) override {
        const bool final = status != EventStatus::pending && status != EventStatus::processing;
        if (final) signal_.finished();
    }
    void delivered(const AttemptEnded& ended) override {
        if (!listener_) return;
        report(callbacks_, listener_,
               AttemptReport{.event_id = to_string(ended.event.id),
                             .event_type = ended.event.type,
                             .attempt = ended.event.attempt.value,
                             .accepted = ended.outcome.verdict == Verdict::accepted,
                             .refused = ended.outcome.verdict == Verdict::permanent,
                             .error = failure_reason(ended.outcome),
                             .duration = ended.outcome.duration,
                             .lateness = ended.lateness});
    }

private:
    const Callbacks& callbacks_;
    const std::function<void(const AttemptReport&)> listener_;
    OutcomeSignal& signal_;
};

}  // namespace sundial::embedding
