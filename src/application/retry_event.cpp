#include "application/retry_event.hpp"

#include <string>
#include <vector>

#include "application/reference.hpp"

namespace sundial {
namespace {

/// The same for the same event for ever, so the key's row refuses a second retry under it.
IdempotencyKey key_after(const Event& event) {
    std::string digits = to_string(event.id);
    std::erase(digits, '-');
    return IdempotencyKey{"event-" + digits};
}

/// An id in the event's own shard, where event, first key and retries lie together.
EventId id_beside(const Event& event, Ids& ids) {
    EventId id = ids.event_id(event.key);
    id.value.bytes.back() = event.id.value.bytes.back();
    return id;
}

/// The event, its user kept from being deleted meanwhile: else the retry would outlive the erasure.
std::optional<Event> find_with_user(Transaction& tx, EventId id) {
    auto event = tx.events().find(id);
    if (!event || !event->user) return event;
    tx.users().share(std::vector{*event->user});
    return tx.events().find(id);
}

}  // namespace

Result<Event> RetryEvent::run(std::string_view id, RetryKey key) {
    auto result = in_transaction(store_, [&](Transaction& tx) -> Result<Event> {
        const auto wanted = event_id(id);
        if (!wanted) return wanted.error();
        const auto event = find_with_user(tx, *wanted);
        if (!event) return NotFound{Noun::event, std::string{id}};
        if (key == RetryKey::fresh) {
            const IdempotencyKey fresh_key = key_after(*event);
            auto fresh = repeated(*event, ids_.event_id(fresh_key), fresh_key, tx.now());
            if (!fresh) return fresh;
            if (auto added = tx.events().add(*fresh); !added) return added.error();
            return fresh;
        }
        auto fresh = retried(*event, id_beside(*event, ids_), tx.now());
        if (!fresh) return fresh;
        if (auto added = tx.events().add_retry(*fresh); !added) return added.error();
        return fresh;
    });
    if (result) wakeups_.due_at(result->claimable_at);
    return result;
}

}  // namespace sundial
