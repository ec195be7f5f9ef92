#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "domain/trace_context.hpp"

namespace sundial {

using SpanValue = std::variant<std::string, std::int64_t>;

/// One piece of work of a trace, finished. Its attributes are those of OpenTelemetry's stable
/// semantic conventions, and ours with the prefix `sundial.`.
struct Span {
    enum class Kind : std::uint8_t { internal = 1, server = 2, client = 3, producer = 4 };

    std::string name;
    Kind kind = Kind::internal;
    TraceContext context;
    std::string parent_id{};                    // a span of the same trace; empty: the first one
    std::chrono::nanoseconds start{0}, end{0};  // since 1970
    std::vector<std::pair<std::string, SpanValue>> attributes{};
    std::vector<TraceContext> links{};  // spans of other traces
    bool failed = false;
    std::string failure{};  // for people
};

/// Records spans. Thread-safe; called on working threads, so it never blocks and never throws.
class Tracer {
public:
    virtual ~Tracer() = default;
    /// The context of a new span: below `parent`, or the first one of a new trace. Sampled like its
    /// parent. Empty: no spans are recorded.
    [[nodiscard]] virtual std::optional<TraceContext> begin(
        const std::optional<TraceContext>& parent) = 0;
    /// The time of day, for the start and the end of spans.
    [[nodiscard]] virtual std::chrono::nanoseconds now() const = 0;
    /// Ignores a span that is not sampled. May drop any.
    virtual void end(Span span) = 0;
};

class NoTracer final : public Tracer {
public:
    [[nodiscard]] std::optional<TraceContext> begin(
        const std::optional<TraceContext>& /*parent*/) override {
        return std::nullopt;
    }
    [[nodiscard]] std::chrono::nanoseconds now() const override { return {}; }
    void end(Span /*span*/) override {}
};
/// For a program that records no spans.
inline NoTracer no_tracer;

/// A span of the work between construction and destruction.
class OpenSpan {
public:
    OpenSpan(Tracer& tracer, std::string_view name, Span::Kind kind,
             const std::optional<TraceContext>& parent)
        : tracer_(tracer), context_(tracer.begin(parent)), parent_(parent) {
        if (!context_) return;
        span_ = Span{.name = std::string(name),
                     .kind = kind,
                     .context = *context_,
                     .parent_id = parent ? parent->span_id : std::string(),
                     .start = tracer.now()};
    }
    ~OpenSpan() {
        if (!context_) return;
        span_.end = tracer_.now();
        tracer_.end(std::move(span_));
    }
    OpenSpan(const OpenSpan&) = delete;
    OpenSpan& operator=(const OpenSpan&) = delete;

    /// The parent of work below this one. Without spans, work stays below the caller's.
    [[nodiscard]] const std::optional<TraceContext>& context() const {
        return context_ ? context_ : parent_;
    }
    void set(std::string_view name, SpanValue value) {
        if (context_) span_.attributes.emplace_back(name, std::move(value));
    }

private:
    Tracer& tracer_;
    const std::optional<TraceContext> context_, parent_;
    Span span_{};
};

}  // namespace sundial
