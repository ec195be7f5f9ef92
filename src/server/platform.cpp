#include "server/platform.hpp"

#include <utility>

#include "adapters/redis/open.hpp"
#include "adapters/system/presence_files.hpp"
#include "application/locks/stored_locks.hpp"
#include "server/tracing.hpp"

namespace sundial::server {

void Observers::claimed(std::size_t events, std::size_t lost_attempts, Instant at,
                        std::chrono::microseconds duration) {
    for (EngineObserver* observer : observers_)
        observer->claimed(events, lost_attempts, at, duration);
}
void Observers::transition(std::string_view event_type, EventStatus status, std::size_t count) {
    for (EngineObserver* observer : observers_) observer->transition(event_type, status, count);
}
void Observers::started(const AttemptStarted& attempt_started) {
    for (EngineObserver* observer : observers_) observer->started(attempt_started);
}
void Observers::first_attempt_lost(const Event& event) {
    for (EngineObserver* observer : observers_) observer->first_attempt_lost(event);
}
void Observers::delivered(const AttemptEnded& attempt_ended) {
    for (EngineObserver* observer : observers_) observer->delivered(attempt_ended);
}
void Observers::settled(const AttemptSettled& attempt_settled) {
    for (EngineObserver* observer : observers_) observer->settled(attempt_settled);
}
void Observers::settled_late(const Event& event) {
    for (EngineObserver* observer : observers_) observer->settled_late(event);
}
void Observers::lease_lost(const Event& event) {
    for (EngineObserver* observer : observers_) observer->lease_lost(event);
}

namespace {

constexpr std::size_t handler_threads = 4;

ObservedStorage::Ports observed(Database& database, const MonotonicClock& monotonic,
                                const EngineParts& given) {
    return {.store = database.store(),
            .queue = database.queue(),
            .pull_queue = database.pull_queue(),
            .monotonic = monotonic,
            .observer = given.storage_observer,
            .log = given.log};
}

ObservedStorage::Ports with_claim_log(ObservedStorage::Ports ports, ClaimLog& claims) {
    ports.claims = &claims;
    return ports;
}

std::unique_ptr<LockStore> open_lock_store(const std::string& url, Store& store) {
    if (url.empty()) return std::make_unique<StoredLocks>(store);
    return redis::open_locks(url, store);
}

/// On SQLite only one instance can use the database, and takes over all claims at its start.
std::unique_ptr<Presence> presence_for(const Database& database) {
    if (database.kind() == "sqlite") return std::make_unique<NoPresence>();
    return std::make_unique<system::PresenceFiles>(system::presence_folder());
}

}  // namespace

Platform::Claims::Claims(const std::string& file, InstanceId instance,
                         const ObservedStorage::Ports& ports, base::Log& log)
    : log_file(file, instance, log),
      storage(with_claim_log(ports, log_file)),
      store(ports.store, ports.monotonic, log_file),
      sends(log_file) {}

Platform::Platform(std::unique_ptr<Database> opened, const EngineParts& given)
    : settings(given.settings),
      settings_shown(given.settings_shown),
      zones(given.zones),
      log(given.log),
      database(std::move(opened)),
      instance(given.instance ? *given.instance : InstanceId{ids.fresh()}),
      storage(observed(*database, monotonic, given)),
      claims(settings.log.claims.empty()
                 ? nullptr
                 : std::make_unique<Claims>(settings.log.claims, instance,
                                            observed(*database, monotonic, given), log)),
      tracer(given.tracer),
      traced(tracer, instance, trace_share(settings)),
      secrets(given.encryption_keys),
      presence(presence_for(*database)),
      kinds(endpoint_kinds({.settings = settings,
                            .listeners = given.listeners,
                            .database = *database,
                            .store = storage,
                            .secrets = secrets,
                            .ids = ids,
                            .monotonic = monotonic,
                            .permit = permit})),
      in_process(given.handlers, monotonic, handler_threads, permit, &log),
      lock_store(open_lock_store(settings.locks.url, storage)) {
    counting.add(given.observer);
    counting.add(collected);
    if (&tracer != &no_tracer) counting.add(traced);
    observers.add(counting);
    if (claims) observers.add(claims->sends);
}

}  // namespace sundial::server
