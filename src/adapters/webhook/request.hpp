#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/webhook/signature.hpp"
#include "application/ports/delivery.hpp"
#include "application/ports/secrets.hpp"
#include "domain/endpoint.hpp"
#include "domain/event.hpp"

namespace sundial::webhook {

/// The attributes of an event in CloudEvents 1.0. All values consist of characters that a header
/// can contain without the binding's percent-encoding.
struct CloudEvent {
    std::string id;      // webhook-id
    std::string source;  // "/v1/schedules/…" if the event has a schedule, else "/v1/events"
    std::string type;
    std::string time;  // the due time, in UTC
};
[[nodiscard]] CloudEvent cloud_event(const Event& event);

/// The request body. It is the same in every attempt, because its inputs do not change after the
/// first claim.
[[nodiscard]] std::string request_body(const Event& event, BodyFormat format);
[[nodiscard]] std::string content_type(BodyFormat format);

using HeaderList = std::vector<HeaderText>;

/// The keys, decrypted. Throws Corrupt.
[[nodiscard]] std::vector<OpenKey> open_keys(std::span<const SigningKey> keys, Secrets& secrets);

/// The secrets of an endpoint, decrypted for one attempt.
struct Credentials {
    std::vector<OpenKey> keys;  // without one nothing is signed
    HeaderList headers;         // the user's own
};

/// All headers of one try that is sent at `request.now` (reliability 7), the user's own last.
[[nodiscard]] HeaderList request_headers(const DeliveryRequest& request, std::string_view body,
                                         const Credentials& credentials,
                                         std::string_view user_agent);

}  // namespace sundial::webhook
