#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/event.hpp"
#include "domain/ids.hpp"

/// The place of the work on a request or an event in a trace to which several programs contribute.
/// The format is that of W3C Trace Context; `TraceContext` itself is in event.hpp, because an event
/// keeps the one of the request that created it.
namespace sundial {

/// Empty for a text that is not a valid `traceparent`: the request then has none. A later version
/// than 00 is read as far as 00 goes.
[[nodiscard]] std::optional<TraceContext> parse_traceparent(std::string_view text);
/// Version 00: "00-" trace "-" span "-" flags.
[[nodiscard]] std::string traceparent(const TraceContext& context);

/// The `tracestate` to hand on for the one received; several header fields are joined by commas
/// first. Empty if it breaks a rule of the format. From one of more than 512 characters whole
/// members are left out: from the right, and first those of more than 128 characters.
[[nodiscard]] std::string parse_tracestate(std::string_view text);

/// The context as databases keep it: a `traceparent`, which has the version 01 and ends in "-" and
/// the `tracestate` if there is one. A program that does not know this form reads the rest of it,
/// because that is how a `traceparent` of a later version is read.
[[nodiscard]] std::string stored_form(const TraceContext& context);
[[nodiscard]] std::optional<TraceContext> parse_stored_trace(std::string_view text);

/// The context of one attempt: of its span, and of the request to the receiver. It belongs to the
/// trace of the event. Every instance finds the same one, and no two attempts have the same span.
/// An event without a trace gets one that follows from its id, sampled at the rate `share`, 0 to 1.
[[nodiscard]] TraceContext attempt_context(const Event& event, double share);
/// The context of the claim of `by` at `now`. Claims are in traces of their own, because each has
/// events of many.
[[nodiscard]] TraceContext claim_context(const InstanceId& by, Instant now, double share);

/// A span below `parent`, sampled like it; without one the first span of a new trace, sampled at
/// the rate `share`. `fresh` is an id that no other span has.
[[nodiscard]] TraceContext new_context(const Uuid& fresh, const std::optional<TraceContext>& parent,
                                       double share);

/// Whether traces of that id are recorded at the rate `share`. All programs that decide by the
/// last 14 digits of the id decide alike.
[[nodiscard]] bool is_sampled(std::string_view trace_id, double share);

}  // namespace sundial
