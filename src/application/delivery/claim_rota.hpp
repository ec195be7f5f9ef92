#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "application/delivery/database_time.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/mono.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// How much of each priority to claim, CRITICAL first.
using Shares = std::array<std::uint32_t, 4>;

/// Divides claims among the priorities 8 : 4 : 2 : 1, so LOW never starves, yet leaves no slot
/// empty: what a priority did not use last time goes to those that may have more.
class PriorityShares {
public:
    /// Their sum is `total`.
    [[nodiscard]] Shares of(std::uint32_t total);
    /// What a claim of `asked` found.
    void found(const Shares& asked, const Shares& returned);
    /// Every priority was asked for more than it had.
    [[nodiscard]] bool drained() const;
    void reset() { hungry_.fill(true); }

private:
    std::array<bool, 4> hungry_{true, true, true, true};  // may have more than it was given
    std::array<int, 4> credit_{};  // what rounding owes, so that one slot at a time is fair too
    unsigned small_claims_ = 0;
};

/// Which shard to claim from next, and when to look: what is known of every shard's next claimable
/// instant. Something is due when a call that is sent now finds it claimable.
class ClaimRota {
public:
    /// `stands_still`: a test clock, whose time does not pass by itself.
    ClaimRota(std::uint32_t shards, std::uint32_t first, std::chrono::microseconds tick,
              bool stands_still);

    /// Answered `now`, and sent at `asked_at`.
    void looked(const Horizon& horizon, Mono asked_at, Mono now);
    void claimed(std::uint32_t shard, const Shares& asked, const Claimed& claimed, Mono asked_at,
                 Mono now);
    /// Nobody knows what became of the claim.
    void claim_failed(std::uint32_t shard);
    /// An event of that shard becomes claimable at `due`.
    void expect(std::uint32_t shard, Instant due);
    /// Some event may be claimable at `due`.
    void hint(Instant due);

    struct Turn {
        std::uint32_t shard;
        Shares shares;
    };
    /// At most `total` events of the next shard in turn that has something due.
    [[nodiscard]] std::optional<Turn> next_claim(std::uint32_t total, Mono now);
    [[nodiscard]] bool anything_due(Mono now) const;
    /// Only the database can tell what is due: nothing was read for a tick, a hint has come true,
    /// or a shard was claimed empty.
    [[nodiscard]] bool must_look(Mono now) const;
    /// The same, but not only when there is nothing else to do: shards that were empty at the last
    /// look would starve beside one that never is.
    [[nodiscard]] bool look_overdue(Mono now) const;
    /// When the answer to one of next_claim, anything_due and must_look changes by itself.
    [[nodiscard]] Mono next_change(Mono now) const;
    /// All that is due has been claimed for in vain, again and again: others hold it locked.
    [[nodiscard]] bool hopeless(Mono now) const;
    /// What is known may be stale.
    void forget() { looked_at_.reset(); }
    [[nodiscard]] bool has_looked() const { return looked_at_.has_value(); }

    /// Everything that was claimable at `then` has been claimed, by whomever.
    [[nodiscard]] bool past(Instant then) const;
    /// Never ahead of the database's clock.
    [[nodiscard]] Instant database_now(Mono now) const;
    /// What it shows when a call that is sent now arrives, as far as is known.
    [[nodiscard]] Instant reached(Mono now) const;

private:
    struct Shard {
        bool known = false;
        Instant next = never;
        Mono rests_until{};
        unsigned fruitless = 0;  // claims in a row that got nothing of what was due
        PriorityShares shares;
    };
    [[nodiscard]] bool due(const Shard& shard, Mono now) const;
    [[nodiscard]] bool ready(const Shard& shard, Mono now) const;
    [[nodiscard]] Mono mono_of(Instant due, Mono now) const;

    std::vector<Shard> shards_;
    std::uint32_t turn_;
    std::chrono::microseconds tick_;
    bool stands_still_;
    DatabaseTime time_;
    std::optional<Mono> looked_at_;
    Instant hint_ = never;
};

}  // namespace sundial
