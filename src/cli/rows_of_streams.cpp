#include <boost/json.hpp>

#include "cli/command_rows.hpp"
#include "cli/output.hpp"

/// Streams and the feed.
namespace sundial::cli {
namespace {

namespace json = boost::json;

std::vector<Column> recorded_columns() {
    return {{"position", "position"}, {"type", "aggregateType"}, {"stream", "aggregateId"},
            {"version", "version"},   {"event", "eventType"},    {"data", "data"}};
}

Arguments stream_name() {
    return {in_path("type", "aggregateType", "type of the aggregate: Order"),
            in_path("id", "aggregateId", "which one")};
}
Arguments with_stream(const Arguments& more) { return with(stream_name(), more); }

void print_appended(const json::object& appended, const Output& output) {
    output.out << "version " << text_of(appended, "lastVersion") << ", position "
               << text_of(appended, "lastPosition") << '\n';
}

}  // namespace

void add_rows_of_streams(std::vector<ApiCommand>& rows) {
    const std::string path = "/v1/streams/{aggregateType}/{aggregateId}";
    rows.push_back(
        {.noun = "stream",
         .verb = "list",
         .help = "list streams",
         .operation = "listStreams",
         .method = "GET",
         .path = "/v1/streams",
         .arguments = {filter("aggregateType", "only streams of this type").named("type"),
                       filter("q", "only streams whose ids begin with this").named("prefix")},
         .shape = Shape::pages,
         .columns = {
             {"type", "aggregateType"}, {"stream", "aggregateId"}, {"version", "version"}}});
    rows.push_back(
        {.noun = "stream",
         .verb = "read",
         .help = "show the events of a stream",
         .operation = "readStream",
         .method = "GET",
         .path = path,
         .arguments = with_stream(
             {filter("fromVersion", "first version to show").as(ValueKind::number).named("--from"),
              filter("toVersion", "last version to show").as(ValueKind::number).named("--to"),
              filter("direction", "the direction of reading").of({"forward", "backward"})}),
         .shape = Shape::pages,
         .paging = Paging::version,
         .columns = recorded_columns()});
    rows.push_back(
        {.noun = "stream",
         .verb = "append",
         .help = "add one event to a stream",
         .operation = "appendToStream",
         .method = "POST",
         .path = path,
         .arguments = with_stream(
             {member("events.0.eventType", "type of the event: OrderPlaced")
                  .named("event-type")
                  .needed(),
              member("events.0.data", "JSON, @FILE or -")
                  .as(ValueKind::json)
                  .named("data")
                  .otherwise("{}"),
              member("events.0.eventId", "its UUID: the same event again is stored once"),
              member("events.0.schemaVersion", "of its data").as(ValueKind::number),
              member("events.0.metadata", R"(JSON: {"actor":"ada"})").as(ValueKind::json),
              member("expectedVersion", "expected version: a number, NO_STREAM or STREAM_EXISTS")
                  .as(ValueKind::version)
                  .named("--expect")}),
         .view = &print_appended});
    rows.push_back({.noun = "stream",
                    .verb = "snapshot",
                    .help = "show the snapshot of a stream",
                    .operation = "getSnapshot",
                    .method = "GET",
                    .path = path + "/snapshot",
                    .arguments = stream_name()});
    rows.push_back(
        {.noun = "stream",
         .verb = "save-snapshot",
         .help = "store a snapshot of a stream",
         .operation = "saveSnapshot",
         .method = "PUT",
         .path = path + "/snapshot",
         .arguments = with_stream(
             {member("version", "the version that it has the state of")
                  .as(ValueKind::number)
                  .named("version")
                  .needed(),
              member("state", "JSON, @FILE or -").as(ValueKind::json).named("state").needed(),
              member("schemaVersion", "of the state").as(ValueKind::number)}),
         .current = "same"});
    rows.push_back(
        {.noun = "feed",
         .verb = "read",
         .help = "show recorded events of all streams, in one order",
         .operation = "readFeed",
         .method = "GET",
         .path = "/v1/feed",
         .arguments = {filter("after", "start after this position").as(ValueKind::number),
                       filter("aggregateType", "only streams of this type").named("--type"),
                       filter("eventType", "only events of this type"),
                       filter("wait", "how long to wait for an event, such as PT20S")},
         .shape = Shape::pages,
         .paging = Paging::position,
         .columns = recorded_columns()});
    rows.push_back({.noun = "checkpoint",
                    .verb = "get",
                    .help = "show the position of a reader",
                    .operation = "getCheckpoint",
                    .method = "GET",
                    .path = "/v1/checkpoints/{name}",
                    .arguments = {in_path("name", "name", "the reader")}});
    rows.push_back(
        {.noun = "checkpoint",
         .verb = "set",
         .help = "move a reader's checkpoint from one position to another",
         .operation = "saveCheckpoint",
         .method = "PUT",
         .path = "/v1/checkpoints/{name}",
         .arguments = {in_path("name", "name", "the reader"),
                       member("previous", "the position that it has now; 0: none")
                           .as(ValueKind::number)
                           .needed(),
                       member("position", "the new position").as(ValueKind::number).needed(),
                       member("eventId", "the event there; refused if there is another one"),
                       member("fencingToken", "of the reader's lock").as(ValueKind::number)},
         .current = "same"});
}

}  // namespace sundial::cli
