#include "application/streams/keep_stream.hpp"

#include <type_traits>
#include <utility>

#include "application/streams/append_to_stream.hpp"
#include "base/json.hpp"

namespace sundial {
namespace {

StreamResult<StreamHead> locked(Transaction& tx, const StreamId& stream) {
    const StreamHead head = tx.streams().lock(stream);
    if (head.deleted) return StreamDeleted{stream};
    if (head.version == 0) return AggregateNotFound{stream};
    return head;
}

/// Runs `change(tx, head)` on a locked stream and commits unless it returns an error.
template <class Change>
auto on_stream(Store& store, const StreamId& stream, Change change)
    -> std::invoke_result_t<Change&, Transaction&, const StreamHead&> {
    using Answer = std::invoke_result_t<Change&, Transaction&, const StreamHead&>;
    if (auto error = refuse_own_stream(stream)) return ValidationFailed{{*std::move(error)}};
    return in_transaction(store, [&](Transaction& tx) -> Answer {
        const auto head = locked(tx, stream);
        if (!head) return head.error();
        return change(tx, *head);
    });
}

}  // namespace

StreamResult<void> KeepStream::archive(const StreamId& stream) {
    return on_stream(store_, stream, [&](Transaction& tx, const StreamHead&) -> StreamResult<void> {
        tx.streams().set_archived(stream, true);
        return {};
    });
}

StreamResult<void> KeepStream::restore(const StreamId& stream) {
    return on_stream(store_, stream, [&](Transaction& tx, const StreamHead&) -> StreamResult<void> {
        tx.streams().set_archived(stream, false);
        return {};
    });
}

StreamResult<void> KeepStream::truncate(const StreamId& stream, std::uint64_t version) {
    return on_stream(store_, stream, [&](Transaction& tx, const StreamHead&) -> StreamResult<void> {
        const auto snapshot = tx.streams().snapshot(stream);
        if (!snapshot || snapshot->version + 1 < version) {
            return invalid(
                "/version", "not_allowed",
                "only events that a snapshot covers can be erased; the newest snapshot has "
                "version " +
                    (snapshot ? std::to_string(snapshot->version) : "0 (no snapshot exists)"));
        }
        tx.streams().truncate(stream, version);
        return {};
    });
}

StreamResult<void> KeepStream::remove(const StreamId& stream) {
    return on_stream(store_, stream, [&](Transaction& tx, const StreamHead&) -> StreamResult<void> {
        tx.streams().close(stream);
        return {};
    });
}

StreamResult<void> KeepStream::redact(const StreamId& stream, std::uint64_t version,
                                      const std::string& data) {
    if (!base::canonical_json(data)) return invalid("/data", "bad_format", "is not JSON");
    return on_stream(
        store_, stream, [&](Transaction& tx, const StreamHead& head) -> StreamResult<void> {
            if (version <= head.version && tx.streams().redact(stream, version, data)) return {};
            return invalid(
                "/version", "out_of_range",
                "must be 1 to " + std::to_string(head.version) + ", where the stream is");
        });
}

StreamResult<bool> KeepStream::save_snapshot(const StreamId& stream, const Snapshot& snapshot) {
    if (!base::canonical_json(snapshot.state))
        return invalid("/state", "bad_format", "is not JSON");
    if (auto error = refuse_schema_version("/schemaVersion", snapshot.schema_version)) {
        return ValidationFailed{{*std::move(error)}};
    }
    return on_stream(
        store_, stream, [&](Transaction& tx, const StreamHead& head) -> StreamResult<bool> {
            if (snapshot.version == 0 || snapshot.version > head.version) {
                return invalid("/version", "out_of_range",
                               "the stream is at version " + std::to_string(head.version));
            }
            return tx.streams().save_snapshot(stream, snapshot);
        });
}

}  // namespace sundial
