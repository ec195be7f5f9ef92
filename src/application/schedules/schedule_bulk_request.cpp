#include <type_traits>

#include "application/operations/stored_request.hpp"
#include "application/schedules/bulk_schedules.hpp"
#include "base/uuid.hpp"
#include "domain/enum_names.hpp"

namespace sundial {
namespace {

constexpr EnumNames<4> schedule_action_names{"pause", "resume", "tag", "delete"};
constexpr std::string_view on_schedules = "resource schedules\n";

void add_truth(StoredRequestWriter& writer, std::string_view name, std::optional<bool> value) {
    if (value) writer.add(name, *value ? "yes" : "no");
}
void add_text(StoredRequestWriter& writer, std::string_view name,
              const std::optional<std::string>& value) {
    if (value) writer.add(name, *value);
}

std::optional<std::string> text_in(const StoredRequest& stored, std::string_view name) {
    auto values = stored.values(name);
    return values.empty() ? std::nullopt : std::optional{std::move(values.back())};
}
std::optional<bool> truth_in(const StoredRequest& stored, std::string_view name) {
    const auto text = text_in(stored, name);
    return text ? std::optional{*text == "yes"} : std::nullopt;
}
template <class Id>
Id id_in(const std::string& text) {
    const auto id = base::parse_uuid(text);
    if (!id) refuse_stored_request("bad id " + text);
    return Id{*id};
}

}  // namespace

std::string_view to_string(ScheduleBulkAction action) {
    return name_in(schedule_action_names, action);
}
std::optional<ScheduleBulkAction> parse_schedule_bulk_action(std::string_view text) {
    return find_in<ScheduleBulkAction>(schedule_action_names, text);
}

bool is_schedule_bulk(std::string_view text) { return text.starts_with(on_schedules); }

std::string stored_schedule_bulk(const ScheduleBulkRequest& request) {
    StoredRequestWriter writer;
    writer.add("resource", "schedules");
    writer.add("action", to_string(request.action));
    for (const ScheduleId id : request.ids) writer.add("id", to_string(id));
    const ScheduleQuery& filter = request.filter;
    add_truth(writer, "enabled", filter.enabled);
    add_truth(writer, "per_user", filter.per_user);
    for (const TriggerKind kind : filter.kinds) writer.add("trigger", to_string(kind));
    for (const std::string& type : filter.types) writer.add("type", type);
    if (filter.endpoint) writer.add("endpoint", to_string(*filter.endpoint));
    add_text(writer, "prefix", filter.prefix);
    add_text(writer, "tag", filter.tag);
    add_text(writer, "note", request.note);
    for (const std::string& tag : request.add_tags) writer.add("add_tag", tag);
    for (const std::string& tag : request.remove_tags) writer.add("remove_tag", tag);
    writer.add("correlation", request.caller.correlation_id);
    writer.add("actor", request.caller.actor);
    return std::move(writer).result();
}

ScheduleBulkRequest read_schedule_bulk(std::string_view text) {
    const StoredRequest stored{text};
    ScheduleBulkRequest request;
    const auto action = parse_schedule_bulk_action(text_in(stored, "action").value_or(""));
    if (!action) refuse_stored_request("it has no known action");
    request.action = *action;
    for (const std::string& id : stored.values("id")) {
        request.ids.push_back(id_in<ScheduleId>(id));
    }
    ScheduleQuery& filter = request.filter;
    filter.enabled = truth_in(stored, "enabled");
    filter.per_user = truth_in(stored, "per_user");
    for (const std::string& name : stored.values("trigger")) {
        const auto kind = parse_trigger_kind(name);
        if (!kind) refuse_stored_request("unknown trigger " + name);
        filter.kinds.push_back(*kind);
    }
    filter.types = stored.values("type");
    if (const auto id = text_in(stored, "endpoint")) filter.endpoint = id_in<EndpointId>(*id);
    filter.prefix = text_in(stored, "prefix");
    filter.tag = text_in(stored, "tag");
    request.note = text_in(stored, "note");
    request.add_tags = stored.values("add_tag");
    request.remove_tags = stored.values("remove_tag");
    request.caller = {text_in(stored, "correlation").value_or(""),
                      text_in(stored, "actor").value_or("")};
    return request;
}

}  // namespace sundial
