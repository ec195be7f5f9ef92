#include "adapters/sqs/sqs_kind.hpp"

#include "adapters/sqs/message.hpp"

namespace sundial::sqs {

std::vector<std::string> SqsKind::options() const {
    return {endpoint_url_option, message_group_option, region_option};
}

std::vector<FieldError> SqsKind::refuse_new(const TypeSettings& given) const {
    if (given.url) return refuse_edit(given);
    return {{"/url", "required", "an SQS endpoint needs the URL of its queue"}};
}

std::vector<FieldError> SqsKind::refuse_edit(const TypeSettings& given) const {
    std::vector<FieldError> found;
    const auto refuse = [&found](bool is_given, const char* pointer, const char* message) {
        if (is_given) found.push_back({pointer, "not_allowed", message});
    };
    if (given.url) {
        if (auto refused = refuse_queue_url(*given.url)) found.push_back(*std::move(refused));
    }
    for (const auto& [name, value] : given.options) {
        if (auto refused = refuse_option(name, value)) found.push_back(*std::move(refused));
    }
    refuse(given.format != BodyFormat::raw, "/format",
           "an SQS endpoint has the format RAW: its messages have one form");
    refuse(given.headers, "/headers", "messages have no headers: an SQS endpoint takes none");
    refuse(given.secret, "/secret",
           "an SQS endpoint has no secret: AWS credentials of the server sign its requests");
    refuse(given.ed25519, "/ed25519",
           "an SQS endpoint has no keys: AWS credentials of the server sign its requests");
    return found;
}

std::vector<FieldError> SqsKind::refuse_whole(const Endpoint& after) const {
    std::vector<FieldError> found;
    const Queue queue = queue_of(after);
    if (auto refused = delivery_.rules().refuse(queue.request_url)) {
        if (after.options.contains(endpoint_url_option)) {
            refused->pointer = "/" + std::string{endpoint_url_option};
        }
        found.push_back(*std::move(refused));
    }
    if (queue.region.empty()) {
        found.push_back({"/region", "required",
                         "the URL does not name a region: give the one to sign requests for, such "
                         "as eu-west-1"});
    }
    if (!queue.fifo && after.options.contains(message_group_option)) {
        found.push_back({"/messageGroup", "not_allowed",
                         "only the messages of a FIFO queue, whose name ends with .fifo, are "
                         "grouped"});
    }
    return found;
}

std::optional<std::string> SqsKind::refuse_payload(std::string_view payload) const {
    return refuse_characters(payload);
}

}  // namespace sundial::sqs
