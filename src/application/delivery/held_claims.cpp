#include "application/delivery/held_claims.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace sundial {
namespace {

bool takes_slot(Stage stage) { return is_unsent(stage) || stage == Stage::sending; }

}  // namespace

bool is_unsent(Stage stage) {
    return stage == Stage::claimed || stage == Stage::planned || stage == Stage::ready;
}

HeldClaim& HeldClaims::add(HeldClaim claim) {
    const EventId id = claim.event->id;
    const auto [added, is_new] = claims_.emplace(id, std::move(claim));
    base::check(is_new && added->second.stage == Stage::claimed);
    count_slot(added->second, 1);
    count(added->second, Stage::claimed, 1);
    return added->second;
}

void HeldClaims::move_to(HeldClaim& claim, Stage stage) {
    if (takes_slot(claim.stage) && !takes_slot(stage)) count_slot(claim, -1);
    if (!takes_slot(claim.stage) && takes_slot(stage)) count_slot(claim, 1);
    count(claim, claim.stage, -1);
    count(claim, stage, 1);
    if (claim.stage == Stage::sending) --sending_;
    if (stage == Stage::sending) {
        ++sending_;
        first_deadline_ = std::min(first_deadline_, claim.deadline);
    }
    claim.stage = stage;
}

void HeldClaims::count(const HeldClaim& claim, Stage stage, int by) {
    const Endpoint* destination = claim.destination.endpoint.get();
    const bool waits = stage == Stage::planned;
    const bool goes = stage == Stage::ready || stage == Stage::sending ||
                      (stage == Stage::claimed && claim.admitted);
    if (!waits && !goes) return;
    if (destination == nullptr && !claim.admitted) return;
    // An admitted event counts before its destination is read.
    const EndpointId endpoint =
        destination != nullptr ? destination->id : claim.event->endpoint.value();
    Load& load = loads_[endpoint];
    (waits ? load.waiting : load.in_flight) += static_cast<std::uint32_t>(by);
    if (load.waiting + load.in_flight == 0) loads_.erase(endpoint);
}

void HeldClaims::count_slot(const HeldClaim& claim, int by) {
    taken_slots_ += static_cast<std::size_t>(by);
    if (claim.event->endpoint) return;
    std::size_t& taken = slots_by_type_[claim.event->type];
    taken += static_cast<std::size_t>(by);
    if (taken == 0) slots_by_type_.erase(claim.event->type);
}

std::size_t HeldClaims::taken_slots_of(const Lane& lane) const {
    const auto found = slots_by_type_.find(lane.value);
    return found == slots_by_type_.end() ? 0 : found->second;
}

std::uint32_t HeldClaims::in_flight(EndpointId endpoint) const {
    const auto found = loads_.find(endpoint);
    return found == loads_.end() ? 0 : found->second.in_flight;
}

std::uint32_t HeldClaims::bound_for(EndpointId endpoint) const {
    const auto found = loads_.find(endpoint);
    return found == loads_.end() ? 0 : found->second.waiting + found->second.in_flight;
}

void HeldClaims::withdraw_permit(HeldClaim& claim) {
    count(claim, claim.stage, -1);
    claim.admitted = false;
    count(claim, claim.stage, 1);
}

void HeldClaims::forget(EventId id) {
    const auto found = claims_.find(id);
    base::check(found != claims_.end());
    move_to(found->second, Stage::settling);  // frees its slot
    claims_.erase(found);
}

SharedEvent HeldClaims::take(EventId id, Stage stage) {
    const auto found = claims_.find(id);
    base::check(found != claims_.end() && found->second.stage == stage);
    move_to(found->second, Stage::settling);  // frees its slot
    SharedEvent event = std::move(found->second.event);
    claims_.erase(found);
    return event;
}

HeldClaim* HeldClaims::find(EventId id) {
    const auto found = claims_.find(id);
    return found == claims_.end() ? nullptr : &found->second;
}

HeldClaim* HeldClaims::find(EventId id, Stage stage) {
    HeldClaim* claim = find(id);
    return claim != nullptr && claim->stage == stage ? claim : nullptr;
}

HeldClaim& HeldClaims::at(EventId id, Stage stage) {
    const auto found = claims_.find(id);
    base::check(found != claims_.end() && found->second.stage == stage);
    return found->second;
}

std::vector<HeldClaim*> HeldClaims::unsent() {
    std::vector<HeldClaim*> found;
    for (auto& [id, claim] : claims_) {
        if (is_unsent(claim.stage)) found.push_back(&claim);
    }
    return found;
}

std::vector<Held> HeldClaims::leases() const {
    std::vector<Held> held;
    held.reserve(claims_.size());
    for (const auto& [id, claim] : claims_) {
        if (!claim.lost) held.push_back({id, claim.event->version});
    }
    return held;
}

bool HeldClaims::has_leases() const {
    return std::ranges::any_of(claims_, [](const auto& entry) { return !entry.second.lost; });
}

void HeldClaims::set_deadlines(Mono deadline) {
    for (auto& [id, claim] : claims_) claim.deadline = deadline;
    first_deadline_ = deadline;
}

void HeldClaims::set_deadline(EventId id, Mono deadline) {
    const auto found = claims_.find(id);
    if (found == claims_.end()) return;
    found->second.deadline = deadline;
    first_deadline_ = std::min(first_deadline_, deadline);
}

const HeldClaim* HeldClaims::take_overdue(Mono now) {
    if (now < first_deadline_) return nullptr;  // nearly always
    first_deadline_ = Mono::max();
    for (auto& [id, claim] : claims_) {
        if (claim.stage != Stage::sending || claim.abandoned || claim.lost) continue;
        first_deadline_ = std::min(first_deadline_, claim.deadline);
        if (now < claim.deadline) continue;
        claim.abandoned = true;
        return &claim;
    }
    return nullptr;
}

bool HeldClaims::any_due_by(Instant then) const {
    return std::ranges::any_of(
        claims_, [&](const auto& entry) { return target_of(*entry.second.event) <= then; });
}

}  // namespace sundial
