#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adapters/system/claim_log_file.hpp"
#include "adapters/system/clocks.hpp"
#include "adapters/system/handler_delivery.hpp"
#include "adapters/system/ids.hpp"
#include "adapters/system/secrets.hpp"
#include "application/observation/observed_storage.hpp"
#include "application/observation/observer.hpp"
#include "application/observation/traced_engine.hpp"
#include "application/ports/lock_store.hpp"
#include "application/ports/presence.hpp"
#include "application/ports/send_permit.hpp"
#include "application/stats/collect_stats.hpp"
#include "server/endpoint_kinds.hpp"
#include "server/engine.hpp"

namespace sundial::server {

/// Forwards each call to several observers.
class Observers final : public EngineObserver {
public:
    void add(EngineObserver& observer) { observers_.push_back(&observer); }
    void claimed(std::size_t events, std::size_t lost_attempts, Instant at,
                 std::chrono::microseconds duration) override;
    void transition(std::string_view event_type, EventStatus status, std::size_t count) override;
    void started(const AttemptStarted& attempt_started) override;
    void first_attempt_lost(const Event& event) override;
    void delivered(const AttemptEnded& attempt_ended) override;
    void settled(const AttemptSettled& attempt_settled) override;
    void settled_late(const Event& event) override;
    void lease_lost(const Event& event) override;

private:
    std::vector<EngineObserver*> observers_;
};

/// The adapters of an engine: what implements the ports of its modules.
struct Platform {
    Platform(std::unique_ptr<Database> opened, const EngineParts& given);

    /// The queue that the worker claims from; its claims are logged if settings name a file.
    [[nodiscard]] EventQueue& claimed_from() { return claims ? claims->storage : storage; }
    /// The worker's store. It has no observer, because the worker reports its own changes.
    [[nodiscard]] Store& worked_on() {
        return claims ? static_cast<Store&>(claims->store) : database->store();
    }

    /// The claim log, and what writes it.
    struct Claims {
        Claims(const std::string& file, InstanceId instance, const ObservedStorage::Ports& ports,
               base::Log& log);
        system::ClaimLogFile log_file;
        ObservedStorage storage;
        LoggedStore store;
        LoggedSends sends;
    };

    const Settings& settings;
    std::vector<SettingShown> settings_shown;
    const TimeZones& zones;
    base::Log& log;
    std::unique_ptr<Database> database;
    system::BootClock monotonic;
    system::SystemIds ids{};
    system::SystemRandom random{};
    InstanceId instance;
    ObservedStorage storage;         // observes changes by callers; the worker reports its own
    std::unique_ptr<Claims> claims;  // null: no claim log
    CollectStats collected{instance};
    Observers counting;   // metrics and counters
    Observers observers;  // the same, and the claim log
    Tracer& tracer;
    TracedEngine traced;
    system::SecretBox secrets;
    SendPermit permit;
    std::unique_ptr<Presence> presence;  // outlives the deliveries below
    EndpointKinds kinds;
    system::HandlerDelivery in_process;
    system::OpensslDigest digest;
    system::SystemApiKeySecrets key_secrets;
    system::SystemLockTokens lock_tokens;
    std::unique_ptr<LockStore> lock_store;  // in the database, or on a lock server of its own
};

}  // namespace sundial::server
