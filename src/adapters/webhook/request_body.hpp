#pragma once

#include <string>

#include "domain/endpoint.hpp"
#include "domain/event.hpp"

namespace sundial::webhook {

/// An event as CloudEvents 1.0 knows it. Every value is made of characters that stand in a header
/// as they are, without the binding's percent-encoding.
struct CloudEvent {
    std::string id;      // webhook-id
    std::string source;  // "/v1/schedules/…" of a schedule's event, else "/v1/events"
    std::string type;
    std::string time;  // when it was to be, in UTC
};
[[nodiscard]] CloudEvent cloud_event(const Event& event);

/// What is posted: the same bytes at every try, since nothing that goes in changes after the first
/// claim.
[[nodiscard]] std::string request_body(const Event& event, BodyFormat format);
[[nodiscard]] std::string content_type(BodyFormat format);

}  // namespace sundial::webhook
