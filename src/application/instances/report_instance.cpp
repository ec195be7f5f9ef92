#include "application/instances/report_instance.hpp"

#include "application/audit/action_audit.hpp"

namespace sundial {

void ReportInstance::run() {
    const Mono now = ports_.monotonic.now();
    if (!hurried_.exchange(false) && reported_ && now - *reported_ < report_every) return;
    std::optional<Instant> drain_requested;
    ports_.store.transact([&](Transaction& tx) {
        const Facts facts = ports_.facts(tx.now());
        if (!reported_) tx.instances().forget(tx.now() - report_kept_for);
        drain_requested = tx.instances().report({.id = self_.id,
                                                 .version = self_.version,
                                                 .roles = self_.roles,
                                                 .started_at = self_.started_at,
                                                 .reported_at = tx.now(),
                                                 .clock_skew = facts.clock_skew,
                                                 .held = facts.held,
                                                 .slots = self_.slots,
                                                 .draining = facts.draining,
                                                 .last_claim_at = facts.last_claim_at});
        return true;
    });
    reported_ = now;
    if (!drain_requested || drained_ || !ports_.drain) return;
    drained_ = true;
    ports_.drain();
}

void ReportInstance::retire() {
    if (!reported_) return;
    ports_.store.transact([&](Transaction& tx) {
        tx.instances().remove(self_.id);
        return true;
    });
}

LookupResult<InstanceReport> DrainInstance::run(std::string_view id, const Caller& caller) {
    const NotFound absent{Noun::instance, std::string{id}};
    const auto uuid = base::parse_uuid(id);
    if (!uuid) return absent;
    return in_transaction(store_, [&](Transaction& tx) -> LookupResult<InstanceReport> {
        const auto before = tx.instances().find(InstanceId{*uuid});
        if (!before || !tx.instances().request_drain(before->id, tx.now())) return absent;
        if (!before->drain_requested_at) record_drain(tx, *before, {caller, ids_.fresh()});
        auto report = tx.instances().find(before->id);
        if (!report) return absent;
        return *std::move(report);
    });
}

}  // namespace sundial
