#include "support/describe.hpp"

#include <sstream>
#include <variant>

#include "application/requests/refusal.hpp"
#include "domain/trace_context.hpp"

namespace sundial {
namespace {

template <class... Cases>
struct Cased : Cases... {
    using Cases::operator()...;
};

std::string text_of(Date date) {
    std::ostringstream out;
    out << static_cast<int>(date.year()) << '-' << static_cast<unsigned>(date.month()) << '-'
        << static_cast<unsigned>(date.day());
    return out.str();
}

template <class Id>
std::string id_or_none(const std::optional<Id>& id) {
    return id ? to_string(*id) : "none";
}
std::string id_or_none(const std::optional<Claimant>& claimant) {
    return claimant ? describe(*claimant) : "none";
}

std::string text_of(const EventState& state) {
    return std::visit(
        Cased{[](const Pending&) -> std::string { return "PENDING"; },
              [](const Processing& processing) {
                  return "PROCESSING by " + id_or_none(processing.claimed_by);
              },
              [](const Completed& completed) { return "COMPLETED " + describe(completed.at); },
              [](const Failed& failed) {
                  return "FAILED " + describe(failed.at) + " '" + failed.reason + "'";
              },
              [](const Cancelled& cancelled) {
                  return "CANCELLED " + describe(cancelled.at) + " '" + cancelled.reason + "'";
              }},
        state);
}

/// Long payloads are shown by their beginning, length and hash.
std::string text_of(const std::string& payload) {
    constexpr std::size_t readable = 80;
    if (payload.size() <= readable) return payload;
    return payload.substr(0, readable) + "… " + std::to_string(payload.size()) + " bytes, hash " +
           std::to_string(std::hash<std::string>{}(payload));
}

}  // namespace

std::string describe(Instant instant) {
    if (instant == never) return "never";
    const auto day = std::chrono::floor<std::chrono::days>(instant);
    const std::chrono::hh_mm_ss time{instant - day};
    std::ostringstream out;
    out << text_of(Date{day}) << 'T' << time.hours().count() << ':' << time.minutes().count() << ':'
        << time.seconds().count() << '+' << time.subseconds().count() << "us";
    return out.str();
}

std::string describe(const Claimant& claimant) {
    const std::string instance = to_string(claimant.instance);
    return claimant.worker.empty() ? instance : claimant.worker + " through " + instance;
}

std::string describe(const Event& event) {
    std::ostringstream out;
    out << "event " << to_string(event.id) << " v" << event.version.value << ' '
        << text_of(event.state) << ", key " << event.key.value << ", type " << event.type << ' '
        << to_string(event.priority) << ", user " << id_or_none(event.user) << ", endpoint "
        << id_or_none(event.endpoint);
    if (event.occurrence) {
        out << ", schedule " << to_string(event.occurrence->schedule) << " v"
            << event.occurrence->schedule_version.value << " on "
            << identity_text(TriggerKind::cron, event.occurrence->nominal) << " by "
            << to_string(event.occurrence->origin);
    }
    out << ", asked ";
    if (event.intent.wall) {
        out << describe(Instant{event.intent.wall->time_since_epoch()}) << " there";
    }
    out << " in " << event.intent.zone << " gap " << static_cast<int>(event.intent.gap)
        << " overlap " << static_cast<int>(event.intent.overlap) << ", due " << describe(event.due)
        << ", tz " << event.tz_release << ", claimable " << describe(event.claimable_at)
        << ", attempt " << event.attempt.value << ", retries " << event.retry_count << ", retry of "
        << id_or_none(event.retry_of) << ", first attempt " << describe(event.first_attempt_at)
        << ", dismissed " << describe(event.dismissed_at) << " because "
        << event.dismissal_note.value_or("(no note)") << " by "
        << event.dismissed_by.value_or("(no name)") << ", trace "
        << (event.trace ? stored_form(*event.trace) : "none") << ", created "
        << describe(event.created_at) << ", updated " << describe(event.updated_at) << ", payload "
        << text_of(event.payload);
    return out.str();
}

std::string describe(const AttemptRecord& attempt) {
    std::ostringstream out;
    out << "attempt " << to_string(attempt.event) << '.' << attempt.number.value << ' '
        << to_string(attempt.outcome) << ", endpoint " << id_or_none(attempt.endpoint)
        << ", started " << describe(attempt.started_at) << ", " << attempt.duration.count()
        << "us, status " << (attempt.status_code ? std::to_string(*attempt.status_code) : "none")
        << ", error '" << attempt.error_code << "' '" << attempt.error_text << "', answer '"
        << text_of(attempt.response_body) << "', by " << id_or_none(attempt.instance) << ", held v"
        << (attempt.held ? attempt.held->value : 0);
    return out.str();
}

std::string describe(const Error& error) {
    const Refusal refusal = refusal_of(error);
    return refusal.code + ' ' + refusal.detail;
}

}  // namespace sundial
