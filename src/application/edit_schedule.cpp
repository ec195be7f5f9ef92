#include "application/edit_schedule.hpp"

#include <utility>
#include <vector>

#include "application/event_references.hpp"
#include "application/expected_version.hpp"
#include "application/payload_template.hpp"
#include "application/recorded_changes.hpp"
#include "application/reference.hpp"
#include "domain/names.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

constexpr std::size_t longest_note = 1000;

/// `schedule` as wished; what is wrong with the wish goes to `defects`.
Schedule edited(Transaction& tx, Schedule schedule, const ScheduleEdit& edit,
                std::vector<FieldError>& defects) {
    if (edit.endpoint) schedule.endpoint = existing_endpoint(tx, *edit.endpoint, defects);
    if (edit.at) {
        const auto at = parse_time_of_day(*edit.at);
        if (at) {
            std::get<YearlyTrigger>(schedule.trigger).at = *at;
        } else {
            defects.push_back({"/trigger/yearly/at", std::string{to_string(at.error().code)},
                               at.error().message});
        }
    }
    if (edit.leap) schedule.leap = *edit.leap;
    if (edit.payload) schedule.payload = *edit.payload;
    if (edit.enabled) schedule.enabled = *edit.enabled;
    if (edit.note) {
        schedule.note = *edit.note;
        if (schedule.note) {
            if (auto refused = refuse_text("/note", *schedule.note, longest_note)) {
                defects.push_back(*std::move(refused));
            }
        }
    }
    return schedule;
}

/// The note alone tells nothing to events.
bool same_plan(const Schedule& before, Schedule after) {
    after.note = before.note;
    return before == after;
}

}  // namespace

Result<EditedSchedule> EditSchedule::run(std::string_view reference, const ScheduleEdit& edit,
                                         std::optional<Version> expected,
                                         const std::string& correlation_id) {
    // Locks the schedule alone; the events follow afterwards, since there may be millions.
    auto result = in_transaction(store_, [&](Transaction& tx) -> Result<Schedule> {
        const auto id = schedule_id(tx, reference);
        if (!id) return id.error();
        const auto before = tx.schedules().lock(*id);
        if (!before) return NotFound{Noun::schedule, std::string{reference}};
        if (auto refused = refuse_version(Noun::schedule, reference, expected, before->version)) {
            return *refused;
        }
        std::vector<FieldError> defects;
        Schedule after = edited(tx, *before, edit, defects);
        if (!defects.empty()) return ValidationFailed{std::move(defects)};
        if (edit.payload) {
            if (auto checked = check_template(*edit.payload); !checked) return checked.error();
        }
        if (after == *before) return after;

        const bool up_to_date = before->planned_version == before->version;
        const bool planned = up_to_date && same_plan(*before, after);
        after.version = base::next(before->version);
        if (planned) after.planned_version = after.version;
        after.updated_at = tx.now();
        tx.schedules().update(after);
        tx.record(schedule_updated(*before, after, {ids_.fresh(), correlation_id}));
        return after;
    });
    if (!result) return result.error();
    EditedSchedule answer{*std::move(result), {}};
    if (answer.schedule.planned_version != answer.schedule.version) {
        answer.replanned = replan_.run(answer.schedule.id);
    }
    return answer;
}

}  // namespace sundial
