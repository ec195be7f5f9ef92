#include "application/streams/append_to_stream.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.hpp"
#include "base/json.hpp"

namespace sundial {

std::optional<FieldError> refuse_own_stream(const StreamId& stream, const std::string& at) {
    const auto& own = own_stream::types;
    if (std::ranges::find(own, stream.aggregate_type) == own.end()) return std::nullopt;
    return FieldError{at + "/aggregateType", "not_allowed",
                      "streams of " + stream.aggregate_type +
                          " are reserved: Sundial writes them when the object changes"};
}

namespace {

/// Without a causation id, the correlation id is the id of the batch's first event.
EventMetadata metadata_of(const NewRecordedEvent& event, const Uuid& first) {
    EventMetadata metadata = event.metadata;
    if (metadata.correlation_id.empty()) {
        metadata.correlation_id =
            metadata.causation_id.empty() ? base::to_string(first) : metadata.causation_id;
    }
    return metadata;
}

/// The identity of an event's content. The separator occurs in no name, so it keeps the parts
/// apart.
std::string content_of(const NewRecordedEvent& event) {
    const auto data = base::canonical_json(event.data);
    base::check(data.has_value());  // judge_request has checked it
    return event.event_type + '\n' + std::to_string(event.schema_version) + '\n' + *data;
}

StreamResult<Appended> append(Transaction& tx, const Append& requested,
                              std::vector<RecordedEvent> batch) {
    EventStore& streams = tx.streams();
    const StreamHead head = streams.lock(requested.stream);
    std::vector<Uuid> ids;
    ids.reserve(batch.size());
    for (const RecordedEvent& event : batch) ids.push_back(event.event_id);
    const auto judged =
        judge_append(head, requested.stream, requested.expected, batch, streams.known(ids));
    if (!judged) return judged.error();
    if (*judged) return **judged;
    std::uint64_t version = head.version;
    for (RecordedEvent& event : batch) event.version = Version{++version};
    const auto positions = streams.append(batch);
    return Appended{.first_version = head.version + 1,
                    .last_version = version,
                    .first_position = positions.front(),
                    .last_position = positions.back(),
                    .current_version = version};
}

/// Validates everything that needs no access to the store.
StreamResult<void> judge(const Append& requested, const std::string& at = {}) {
    if (auto error = refuse_own_stream(requested.stream, at)) {
        return ValidationFailed{{*std::move(error)}};
    }
    return judge_request(requested, at);
}

std::vector<RefusedAppend> judge_all(std::span<const Append> requested) {
    std::vector<RefusedAppend> refused;
    for (std::size_t i = 0; i < requested.size(); ++i) {
        const std::string at = "/appends/" + std::to_string(i);
        const auto same_stream = [&](const Append& other) {
            return other.stream == requested[i].stream;
        };
        if (auto judged = judge(requested[i], at); !judged) {
            refused.push_back({i, std::move(judged).error()});
        } else if (std::ranges::any_of(requested.first(i), same_stream)) {
            refused.push_back(
                {i, invalid(at, "not_allowed", "names a stream that the batch already has")});
        }
    }
    return refused;
}

/// All callers lock streams in this order, so that they never deadlock.
std::vector<std::size_t> in_order_of_streams(std::span<const Append> requested) {
    std::vector<std::size_t> order(requested.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return requested[i].stream; });
    return order;
}

}  // namespace

std::vector<RecordedEvent> AppendToStream::recorded(const Append& requested) const {
    std::vector<RecordedEvent> batch;
    batch.reserve(requested.events.size());
    for (const NewRecordedEvent& event : requested.events) {
        batch.push_back({.stream = requested.stream,
                         .version = Version{0},
                         .event_id = event.event_id,
                         .event_type = event.event_type,
                         .schema_version = event.schema_version,
                         .data = event.data,
                         .metadata = metadata_of(event, requested.events.front().event_id),
                         .content_hash = digest_.sha256(content_of(event))});
    }
    return batch;
}

StreamResult<Appended> AppendToStream::run(const Append& requested) {
    if (auto judged = judge(requested); !judged) return std::move(judged).error();
    const auto batch = recorded(requested);
    if (const auto appended = store_.append_at_once(requested.expected, batch)) return *appended;
    return in_transaction(store_, [&](Transaction& tx) { return append(tx, requested, batch); });
}

StreamResult<Appended> AppendToStream::run(Transaction& tx, const Append& requested) const {
    if (auto judged = judge(requested); !judged) return std::move(judged).error();
    return append(tx, requested, recorded(requested));
}

base::Result<std::vector<Appended>, std::vector<RefusedAppend>> AppendToStream::run_all(
    std::span<const Append> requested) {
    if (auto refused = judge_all(requested); !refused.empty()) return refused;
    std::vector<Appended> done(requested.size());
    std::vector<RefusedAppend> refused;
    store_.transact([&](Transaction& tx) {
        refused.clear();
        for (const std::size_t i : in_order_of_streams(requested)) {
            auto appended = append(tx, requested[i], recorded(requested[i]));
            if (appended) {
                done[i] = *appended;
            } else {
                refused.push_back({i, std::move(appended).error()});
            }
        }
        return refused.empty();
    });
    if (refused.empty()) return done;
    for (const RefusedAppend& one : refused) {
        if (const auto operation = conflicting_operation(one.error)) store_.conflicted(*operation);
    }
    std::ranges::sort(refused, {}, &RefusedAppend::index);
    return refused;
}

}  // namespace sundial
