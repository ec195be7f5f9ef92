#include "adapters/http/api/operation_codec.hpp"

#include "base/json_writer.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
namespace {

std::optional<std::string> text_of(std::optional<Instant> instant) {
    return instant ? std::optional(format_instant_millis(*instant)) : std::nullopt;
}

}  // namespace

std::string operation_json(const sundial::Operation& operation) {
    base::JsonWriter json;
    json.begin_object().member("id", to_string(operation.id));
    json.member("kind", to_string(operation.kind));
    json.member("status", to_string(operation.status)).member("reason", operation.reason);
    json.member("scheduleId",
                operation.schedule ? std::optional(to_string(*operation.schedule)) : std::nullopt);
    json.member("total", operation.total);
    json.member("done", operation.done).member("failed", operation.failed);
    json.member("errorsUrl", "/v1/operations/" + to_string(operation.id) + "/errors");
    json.member("version", operation.version.value);
    json.member("createdAt", format_instant_millis(operation.created_at));
    json.member("updatedAt", format_instant_millis(operation.updated_at));
    json.member("finishedAt", text_of(operation.finished_at));
    return std::move(json.end_object()).text();
}

std::string failure_json(const NumberedFailure& numbered) {
    const auto& [number, failure] = numbered;
    base::JsonWriter json;
    json.begin_object().member("number", number).member("type", to_string(failure.subject));
    json.member("id", base::to_string(failure.id));
    json.member("code", failure.code).member("detail", failure.detail);
    return std::move(json.end_object()).text();
}

}  // namespace sundial::http
