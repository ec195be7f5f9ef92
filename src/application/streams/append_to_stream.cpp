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

StreamResult<Appended> append(Transaction& tx, const Append& wanted, std::vector<RecordedEvent> batch) {
    EventStore& streams = tx.streams();
    const StreamHead head = streams.lock(wanted.stream);
    std::vector<Uuid> ids;
    ids.reserve(batch.size());
    for (const RecordedEvent& event : batch) ids.push_back(event.event_id);
    const auto judged =
        judge_append(head, wanted.stream, wanted.expected, batch, streams.known(ids));
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
StreamResult<void> judge(const Append& wanted, const std::string& at = {}) {
    if (auto error = refuse_own_stream(wanted.stream, at)) {
        return ValidationFailed{{*std::move(error)}};
    }
    return judge_request(wanted, at);
}

std::vector<RefusedAppend> judge_all(std::span<const Append> wanted) {
    std::vector<RefusedAppend> refused;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const std::string at = "/appends/" + std::to_string(i);
        const auto same_stream = [&](const Append& other) {
            return other.stream == wanted[i].stream;
        };
        if (auto judged = judge(wanted[i], at); !judged) {
            refused.push_back({i, std::move(judged).error()});
        } else if (std::ranges::any_of(wanted.first(i), same_stream)) {
            refused.push_back(
                {i, invalid(at, "not_allowed", "names a stream that the batch already has")});
        }
    }
    return refused;
}

/// All callers lock streams in this order, so that they never deadlock.
std::vector<std::size_t> in_order_of_streams(std::span<const Append> wanted) {
    std::vector<std::size_t> order(wanted.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return wanted[i].stream; });
    return order;
}

}  // namespace

std::vector<RecordedEvent> AppendToStream::recorded(const Append& wanted) const {
    std::vector<RecordedEvent> batch;
    batch.reserve(wanted.events.size());
    for (const NewRecordedEvent& event : wanted.events) {
        batch.push_back({.stream = wanted.stream,
                         .version = Version{0},
                         .event_id = event.event_id,
                         .event_type = event.event_type,
                         .schema_version = event.schema_version,
                         .data = event.data,
                         .metadata = metadata_of(event, wanted.events.front().event_id),
                         .content_hash = digest_.sha256(content_of(event))});
    }
    return batch;
}

StreamResult<Appended> AppendToStream::run(const Append& wanted) {
    if (auto judged = judge(wanted); !judged) return std::move(judged).error();
    const auto batch = recorded(wanted);
    if (const auto appended = store_.append_at_once(wanted.expected, batch)) return *appended;
    return in_transaction(store_, [&](Transaction& tx) { return append(tx, wanted, batch); });
}

StreamResult<Appended> AppendToStream::run(Transaction& tx, const Append& wanted) const {
    if (auto judged = judge(wanted); !judged) return std::move(judged).error();
    return append(tx, wanted, recorded(wanted));
}

base::Result<std::vector<Appended>, std::vector<RefusedAppend>> AppendToStream::run_all(
    std::span<const Append> wanted) {
    if (auto refused = judge_all(wanted); !refused.empty()) return refused;
    std::vector<Appended> done(wanted.size());
    std::vector<RefusedAppend> refused;
    store_.transact([&](Transaction& tx) {
        refused.clear();
        for (const std::size_t i : in_order_of_streams(wanted)) {
            auto appended = append(tx, wanted[i], recorded(wanted[i]));
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
