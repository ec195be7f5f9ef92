#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "application/edits.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/replan_schedule.hpp"
#include "domain/schedule.hpp"

namespace sundial {

/// What to change of a schedule; what is empty stays.
struct ScheduleEdit {
    Edit<std::string> endpoint{};     // id or ext:…
    std::optional<std::string> at{};  // trigger.yearly.at: 09:00
    std::optional<LeapPolicy> leap{};
    std::optional<std::string> payload{};  // template
    std::optional<bool> enabled{};
    Edit<std::string> note{};
};

struct EditedSchedule {
    Schedule schedule;
    Replanned replanned;
};

/// Changes a schedule, then brings its PENDING events to the new rule, batch by batch. An edit that
/// changes nothing makes no new version.
class EditSchedule {
public:
    EditSchedule(Store& store, Ids& ids, ReplanSchedule& replan)
        : store_(store), ids_(ids), replan_(replan) {}
    /// Errors: NotFound, OptimisticLock, ValidationFailed, InvalidTemplate.
    [[nodiscard]] Result<EditedSchedule> run(std::string_view reference, const ScheduleEdit& edit,
                                             std::optional<Version> expected,
                                             const std::string& correlation_id);

private:
    Store& store_;
    Ids& ids_;
    ReplanSchedule& replan_;
};

}  // namespace sundial
