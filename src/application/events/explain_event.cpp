#include "application/events/explain_event.hpp"

#include <chrono>

#include "application/requests/queries.hpp"
#include "domain/time/resolve.hpp"
#include "domain/time/text.hpp"
#include "domain/time/types.hpp"

namespace sundial {
namespace {

using Value = ExplainedStep::Value;

Value text_or_null(const std::optional<std::string>& text) {
    return text ? Value{*text} : Value{nullptr};
}
Value instant_or_null(std::optional<Instant> instant) {
    return instant ? Value{format_instant_millis(*instant)} : Value{nullptr};
}
std::int64_t number(std::uint64_t count) { return static_cast<std::int64_t>(count); }

/// `1.5 s`, `20 ms`.
std::string in_words(std::chrono::microseconds duration) {
    const auto ms = std::chrono::floor<std::chrono::milliseconds>(duration).count();
    if (ms < 1000) return std::to_string(ms) + " ms";
    return std::to_string(ms / 1000) + "." + std::to_string(ms % 1000 / 100) + " s";
}

/// A date, or the local time for cron and RRULE.
std::string text_of(const Nominal& nominal) {
    return nominal.time == std::chrono::microseconds{0} ? format_date(nominal.date)
                                                        : format_wall(wall_of(nominal));
}

/// How the zone resolves a local time.
struct Meaning {
    OccurrenceNote note = OccurrenceNote::none;
    bool same_instant = true;  // the local time still resolves to the event's instant
};

Meaning meaning_of(const Event& event, const Zone& zone) {
    const Intent& intent = event.intent;
    const auto gap = intent.gap == GapPolicy::reject ? GapPolicy::compatible : intent.gap;
    const auto overlap =
        intent.overlap == OverlapPolicy::reject ? OverlapPolicy::compatible : intent.overlap;
    const auto [first, second] = occurrences_at(*intent.wall, zone, gap, overlap);
    if (second && second->instant == event.due) return {second->note, true};
    if (!first) return {OccurrenceNote::none, false};
    return {first->note, first->instant == event.due};
}

std::string words_of(OccurrenceNote note) {
    switch (note) {
        case OccurrenceNote::gap_earlier:
            return "this local time does not exist in the zone, so it was moved back by the length "
                   "of the gap";
        case OccurrenceNote::gap_later:
            return "this local time does not exist in the zone, so it was moved forward by the "
                   "length of the gap";
        case OccurrenceNote::gap_boundary:
            return "this local time does not exist in the zone, so it was moved to the end of the "
                   "gap";
        case OccurrenceNote::overlap_earlier:
            return "this local time occurs twice in the zone; the first pass was chosen";
        case OccurrenceNote::overlap_later:
            return "this local time occurs twice in the zone; the second pass was chosen";
        case OccurrenceNote::gap_skipped:
        case OccurrenceNote::overlap_skipped:
            return "with the current tz database the policy would skip this local time";
        case OccurrenceNote::none:
        case OccurrenceNote::leap_moved:
        case OccurrenceNote::leap_skipped:
            break;
    }
    return "";
}

class Explainer {
public:
    Explainer(const EventStory& story, const TzData& zones)
        : story_(story), event_(story.event), zones_(zones) {}

    Explanation run() {
        rule();
        if (event_.intent.wall) {
            local();
            if (has_instant(event_)) zone();
        }
        if (has_instant(event_)) utc();
        change();
        for (const AttemptRecord& attempt : story_.attempts) explain_attempt(attempt);
        result();
        auto wait = waits_for();
        std::string summary = summary_of(wait);
        return {event_, std::move(summary), std::move(steps_), std::move(wait)};
    }

private:
    void add(std::string_view step, std::string text,
             std::vector<std::pair<std::string_view, Value>> members) {
        steps_.push_back({step, std::move(text), std::move(members)});
    }

    void rule() {
        if (!event_.occurrence) {
            const std::string asked = "a single event, created at ";
            return add("rule", asked + format_instant_millis(event_.created_at),
                       {{"scheduleId", nullptr}});
        }
        const Occurrence& occurrence = *event_.occurrence;
        const std::string nominal = text_of(occurrence.nominal);
        const std::string rule = story_.schedule ? describe(*story_.schedule)
                                                 : std::string{"its schedule has been deleted"};
        add("rule", "the occurrence " + nominal + " of its schedule: " + rule,
            {{"scheduleId", to_string(occurrence.schedule)},
             {"scheduleVersion", number(occurrence.schedule_version.value)},
             {"nominal", nominal},
             {"description", rule}});
    }

    void local() {
        const Intent& intent = event_.intent;
        const std::string wall = format_wall(*intent.wall);
        add("local", wall + " on the clocks of " + intent.zone,
            {{"wantedLocal", wall},
             {"targetTimezone", intent.zone},
             {"gap", std::string{to_string(intent.gap)}},
             {"overlap", std::string{to_string(intent.overlap)}}});
    }

    void zone() {
        const std::string computed = ", as computed with tz database " + event_.tz_release;
        const auto found = zones_.find(event_.intent.zone);
        if (!found) {
            return add("zone",
                       event_.intent.zone + " is not in tz database " + zones_.release() +
                           "; its instant is" + computed,
                       {{"offset", nullptr}, {"note", nullptr}, {"tzdb", event_.tz_release}});
        }
        const Zone& zone = **found;
        const std::string offset = format_offset(zone.offset_at(event_.due));
        const Meaning meaning = meaning_of(event_, zone);
        std::string text = event_.intent.zone + " is at UTC" + offset + " then" + computed;
        if (const auto words = words_of(meaning.note); !words.empty()) text += "; " + words;
        if (!meaning.same_instant) {
            text += event_.tz_release == zones_.release()
                        ? "; a client gave it another instant than its local time has"
                        : "; tz database " + zones_.release() + " gives it another instant";
        }
        const std::string_view note = to_string(meaning.note);
        add("zone", std::move(text),
            {{"offset", offset},
             {"note", note.empty() ? Value{nullptr} : Value{std::string{note}}},
             {"tzdb", event_.tz_release}});
    }

    void utc() {
        const std::string due = format_instant_millis(event_.due);
        std::string text = "due at " + due;
        if (!event_.intent.wall) text += ", given as an instant";
        if (event_.jitter > std::chrono::microseconds{0}) {
            text += "; sent " + in_words(event_.jitter) + " later by the jitter of its schedule";
        }
        add("utc", std::move(text), {{"targetTimestampUTC", due}});
    }

    void change() {
        // The first version is the creation. Each attempt adds one or two versions.
        if (event_.version == Version{1} || status_of(event_) != EventStatus::pending) return;
        const std::string at = format_instant_millis(event_.updated_at);
        add("change", "last moved or changed at " + at + ", before any attempt",
            {{"version", number(event_.version.value)}, {"updatedAt", at}});
    }

    void explain_attempt(const AttemptRecord& attempt) {
        std::string text = "attempt " + std::to_string(attempt.number.value) + ": " +
                           std::string{to_string(attempt.outcome)};
        const bool lost = attempt.outcome == AttemptOutcome::lost;  // its duration is unknown
        if (attempt.started_at && !lost) text += " after " + in_words(attempt.duration);
        if (attempt.started_at) text += ", begun at " + format_instant_millis(*attempt.started_at);
        if (!attempt.error_code.empty()) text += ", " + attempt.error_code;
        if (attempt.status_code) text += ' ' + std::to_string(*attempt.status_code);
        if (!attempt.error_text.empty()) text += ": " + attempt.error_text;
        add("attempt", std::move(text),
            {{"number", number(attempt.number.value)},
             {"outcome", std::string{to_string(attempt.outcome)}},
             {"startedAt", instant_or_null(attempt.started_at)},
             {"statusCode",
              attempt.status_code ? Value{std::int64_t{*attempt.status_code}} : Value{nullptr}},
             {"instanceId",
              text_or_null(attempt.instance ? std::optional{to_string(*attempt.instance)}
                                            : std::nullopt)}});
    }

    void result() {
        struct End {
            Instant at;
            std::string words;
            std::optional<std::string> reason;
        };
        std::optional<End> end;
        if (const auto* completed = std::get_if<Completed>(&event_.state)) {
            end = End{completed->at, "delivered", std::nullopt};
        } else if (const auto* failed = std::get_if<Failed>(&event_.state)) {
            end = End{failed->at, "given up", failed->reason};
        } else if (const auto* cancelled = std::get_if<Cancelled>(&event_.state)) {
            end = End{cancelled->at, "cancelled", cancelled->reason};
        }
        if (!end) return;
        const auto late = lateness(event_);
        std::string text = end->words + " at " + format_instant_millis(end->at);
        if (end->reason && !end->reason->empty()) text += ": " + *end->reason;
        if (late && late_execution(event_)) {
            text += "; its first attempt began " + in_words(*late) + " late";
        }
        add("result", std::move(text),
            {{"status", std::string{to_string(status_of(event_))}},
             {"at", format_instant_millis(end->at)},
             {"failureReason", text_or_null(end->reason)}});
    }

    [[nodiscard]] std::optional<Wait> waits_for() const {
        if (is_final(event_)) return std::nullopt;
        const Instant next = event_.claimable_at;
        const std::string at = format_instant_millis(next);
        if (is_claimed(event_)) {
            return Wait{
                "result",
                holder() + "; if no result arrives by " + at + ", the event is claimed again",
                next};
        }
        if (next == never) return parked();
        if (in_line(event_)) {
            return Wait{"limit", "due; waits until the limits of its endpoint allow its delivery",
                        std::nullopt};
        }
        if (next <= story_.now && !event_.endpoint) {
            return Wait{"endpoint",
                        "due, but it has no endpoint; set one on the event or on its schedule, or "
                        "start a program that has a handler for its type",
                        std::nullopt};
        }
        if (next <= story_.now) {
            return Wait{"claim",
                        left_to_workers() ? "claimable; waits for a worker of its endpoint"
                                          : "claimable; waits for an instance with a free slot",
                        story_.now};
        }
        if (status_of(event_) == EventStatus::pending) {
            return Wait{"due", "waits until it is due at " + at, next};
        }
        const auto why = release_reason();
        return Wait{event_.obstacle ? "circuit" : "retry",
                    why ? "released without being sent: " + *why + "; claimable again at " + at
                        : "its last attempt was not accepted; the next attempt is at " + at,
                    next};
    }

    /// Why the last claim was released.
    [[nodiscard]] std::optional<std::string> release_reason() const {
        for (const AttemptRecord& attempt : story_.attempts) {
            if (attempt.outcome == AttemptOutcome::released && attempt.held &&
                attempt.held->value + 1 == event_.version.value) {
                return attempt.error_text;
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] bool left_to_workers() const {
        return story_.endpoint && is_pulled(*story_.endpoint);
    }

    [[nodiscard]] std::string holder() const {
        const auto& by = std::get<Processing>(event_.state).claimed_by;
        if (by && !by->worker.empty()) return "the worker '" + by->worker + "' has it";
        return "an instance is delivering it";
    }

    [[nodiscard]] Wait parked() const {
        if (!has_instant(event_)) {
            return {"zone", "waits until an instance has found the instant of its local time",
                    std::nullopt};
        }
        if (story_.schedule && !story_.schedule->enabled) {
            return {"schedule", "its schedule is paused; enable the schedule to continue",
                    std::nullopt};
        }
        if (story_.endpoint && !story_.endpoint->enabled) {
            return {"endpoint", "its endpoint is disabled; enable the endpoint to continue",
                    std::nullopt};
        }
        return {"endpoint", "it has no endpoint; set one on the event or on its schedule",
                std::nullopt};
    }

    [[nodiscard]] std::string summary_of(const std::optional<Wait>& wait) const {
        const auto zone = zones_.find(event_.intent.zone);
        const std::string when =
            !has_instant(event_) ? format_wall(*event_.intent.wall) + " in " + event_.intent.zone
            : zone               ? format_zoned(event_.due, **zone)
                                 : format_instant_millis(event_.due);
        const std::string status{to_string(status_of(event_))};
        const std::string head = status + ", due at " + when;
        if (wait) return head + ": " + wait->text;
        return head + ": " + steps_.back().text;
    }

    const EventStory& story_;
    const Event& event_;
    const TzData& zones_;
    std::vector<ExplainedStep> steps_;
};

}  // namespace

Explanation explain(const EventStory& story, const TzData& zones) {
    return Explainer{story, zones}.run();
}

EventResult<Explanation> ExplainEvent::run(std::string_view reference) {
    const auto story = in_read(store_, [&](Transaction& tx) -> EventResult<EventStory> {
        const auto id = event_id(reference);
        if (!id) return id.error();
        auto event = tx.events().find(*id);
        if (!event) return NotFound{Noun::event, std::string{reference}};
        EventStory found{.event = *std::move(event),
                         .schedule = std::nullopt,
                         .endpoint = std::nullopt,
                         .attempts = tx.events().attempts_of(*id),
                         .now = tx.now()};
        if (found.event.occurrence) {
            found.schedule = tx.schedules().find(found.event.occurrence->schedule);
        }
        if (found.event.endpoint) found.endpoint = tx.endpoints().find(*found.event.endpoint);
        return found;
    });
    if (!story) return story.error();
    return explain(*story, *zones_.current());
}

}  // namespace sundial
