#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "application/delivery/database_time.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// How much of each priority to claim, CRITICAL first.
using Shares = std::array<std::uint32_t, 4>;

/// Divides claims among the priorities 8 : 4 : 2 : 1, so that LOW never starves. No slot stays
/// empty: the part that a priority did not use last time goes to priorities that may have more
/// events.
class PriorityShares {
public:
    /// The sum of the shares is `total`.
    [[nodiscard]] Shares of(std::uint32_t total);
    /// The same for a claim of at least eight that is expected to return fewer. Requests one event
    /// of each priority that had none last time.
    [[nodiscard]] Shares of_few(std::uint32_t total);
    /// Reports how many events a claim of `asked` returned.
    void found(const Shares& asked, const Shares& returned);
    /// Every priority returned fewer events than requested.
    [[nodiscard]] bool drained() const;
    void reset() { wants_more_.fill(true); }

private:
    using Chosen = std::array<bool, 4>;
    /// `total` among the chosen priorities, except for one of each other if `probing`.
    [[nodiscard]] Shares divide(std::uint32_t total, const Chosen& chosen, bool probing);

    /// May have more events than it was asked for.
    Chosen wants_more_{true, true, true, true};
    /// Returned some when they were last asked.
    Chosen recent_{};
    /// Rounding error carried over, so that claims of one slot are fair too.
    std::array<int, 4> credit_{};
    unsigned small_claims_ = 0;
};

/// The claim scheduler: chooses the part of the queue to claim from next, and when to read the
/// queue. A part is one shard of one lane, numbered as in QueuePeek. The scheduler knows each
/// part's next claimable instant. An event counts as due if a call sent now finds it claimable.
class ClaimScheduler {
public:
    /// `stands_still`: a test clock, whose time does not pass by itself. `max_together`: the
    /// maximum number of parts in a claim.
    ClaimScheduler(std::uint32_t parts, std::uint32_t first, std::chrono::microseconds tick,
                   bool stands_still, std::uint32_t max_together);

    struct Turn {
        std::uint32_t part;
        Shares shares;
        bool with_next = false;  // as in ClaimRequest
    };
    /// The call was sent at `asked_at` and answered at `now`.
    void note_peek(const QueuePeek& peeked, Mono asked_at, Mono now);
    /// The results of these turns.
    void claimed(std::span<const Turn> turns, std::span<const Claimed> claims, Mono asked_at,
                 Mono now);
    /// The outcome of the claim is unknown.
    void claim_failed(std::uint32_t part);
    /// An event of that part becomes claimable at `due`.
    void expect(std::uint32_t part, Instant due);
    /// Some event may be claimable at `due`.
    void hint(Instant due);
    /// From now on at most that many events of the part can be claimed; none at 0.
    void set_room(std::uint32_t part, std::uint32_t room) { parts_[part].room = room; }

    /// At most `total` events of the next parts in turn that have due events. Many parts with few
    /// events each are claimed together, because a transaction for each of them would make their
    /// events wait for each other. A part with many is claimed alone.
    [[nodiscard]] std::vector<Turn> next_claims(std::uint32_t total, Mono now);
    [[nodiscard]] bool anything_due(Mono now) const;
    /// The queue must be read, because only the database knows which events are due: no read for a
    /// tick, a hint has come due, or a claim took all due events of a part and did not return its
    /// next instant.
    [[nodiscard]] bool must_peek(Mono now) const;
    /// The same, but applies even while other parts can be claimed. Otherwise parts that were
    /// empty at the last read, or whose next instant is not known, would starve beside one that
    /// always has due events.
    [[nodiscard]] bool peek_overdue(Mono now) const;
    /// When the result of next_claim, anything_due or must_peek changes by itself.
    [[nodiscard]] Mono next_change(Mono now) const;
    /// Repeated claims for all due events returned nothing: other transactions hold them locked.
    [[nodiscard]] bool nothing_claimable(Mono now) const;
    /// The known instants may be stale.
    void forget() { peeked_at_.reset(); }
    [[nodiscard]] bool has_peeked() const { return peeked_at_.has_value(); }

    /// A call beside the claims, sent at `asked_at`, has read the database's clock.
    void read_time(Instant then, Mono asked_at, Mono now) { time_.read(then, asked_at, now); }
    /// All events that were claimable at `then` have been claimed, by any instance.
    [[nodiscard]] bool past(Instant then) const;
    /// Never ahead of the database's clock.
    [[nodiscard]] Instant database_now(Mono now) const;
    /// Estimate of the database's clock at the arrival of a call that is sent now.
    [[nodiscard]] Instant reached(Mono now) const;
    /// When a call reaches that instant: now if it is past, an hour ahead at most, never on a test
    /// clock.
    [[nodiscard]] Mono mono_of(Instant due, Mono now) const;

private:
    static constexpr std::uint32_t unlimited = std::numeric_limits<std::uint32_t>::max();
    struct Part {
        bool known = false;
        Instant next = never;
        Instant expected = never;  // the first `expect` since the last claim was sent
        Mono rests_until{};
        std::uint32_t room = unlimited;  // often together with other parts
        unsigned empty_claims = 0;       // consecutive claims that returned none of the due events
        std::uint32_t last = 0;          // number of events that the last claim returned
        bool drained = true;             // it left no due event
        PriorityShares shares;
    };
    void note(const Turn& turn, const Claimed& claimed, bool clock_stood_still, Mono now);
    [[nodiscard]] bool due(const Part& part, Mono now) const;
    [[nodiscard]] bool ready(const Part& part, Mono now) const;
    [[nodiscard]] bool any_unknown() const;

    std::vector<Part> parts_;
    std::uint32_t turn_;
    std::chrono::microseconds tick_;
    bool stands_still_;
    std::uint32_t max_together_;
    DatabaseTime time_;
    std::optional<Mono> peeked_at_;
    std::chrono::microseconds peek_took_{};
    bool reported_ = false;  // a claim since the last peek has reported its next instant
    Instant hint_ = never;
};

}  // namespace sundial
