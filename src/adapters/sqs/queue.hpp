#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/endpoint.hpp"
#include "domain/error.hpp"

namespace sundial::sqs {

inline const EndpointType sqs_type{"SQS"};

/// The options of an endpoint of type SQS.
inline constexpr const char* region_option = "region";
inline constexpr const char* endpoint_url_option = "endpointUrl";
inline constexpr const char* message_group_option = "messageGroup";

/// A queue, and where requests for it go.
struct Queue {
    std::string url{};          // its name for the service: QueueUrl
    std::string request_url{};  // origin of endpointUrl, else of url, with the path /
    std::string host{};         // of request_url, with a port that is not the scheme's own
    std::string region{};       // in which requests are signed
    bool fifo = false;
    bool grouped_by_endpoint = false;  // a FIFO queue's messages; else by user
};

/// The defect of `url` as the URL of a queue, at pointer /url. Does not judge whether requests may
/// go there.
[[nodiscard]] std::optional<FieldError> refuse_queue_url(std::string_view url);
/// The defect of the option `name`.
[[nodiscard]] std::optional<FieldError> refuse_option(std::string_view name,
                                                      std::string_view value);

/// The region in the name of a host of AWS, such as sqs.eu-west-1.amazonaws.com. Empty if there is
/// none.
[[nodiscard]] std::optional<std::string> region_in(std::string_view url);

/// The queue of an endpoint whose settings were accepted. Its region is empty if neither the
/// settings nor the URL name one.
[[nodiscard]] Queue queue_of(const Endpoint& endpoint);

}  // namespace sundial::sqs
