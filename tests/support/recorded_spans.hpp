#pragma once

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "application/ports/tracer.hpp"
#include "domain/trace_context.hpp"
#include "support/fake_ids.hpp"

namespace sundial {

/// Records spans. Their ids are new; a test compares parents only.
class RecordedSpans final : public Tracer {
public:
    [[nodiscard]] std::optional<TraceContext> begin(
        const std::optional<TraceContext>& parent) override {
        return new_context(ids_.fresh(), parent, 1);
    }
    [[nodiscard]] std::chrono::nanoseconds now() const override { return {}; }
    void end(Span span) override { spans.push_back(std::move(span)); }
    std::vector<Span> spans;

private:
    FakeIds ids_;
};

}  // namespace sundial
