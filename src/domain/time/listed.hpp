#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

#include "domain/time/recurrence.hpp"
#include "domain/time/zone.hpp"

namespace sundial {

/// One occurrence as a preview shows it.
struct ListedOccurrence {
    RuleOccurrence occurrence;
    bool offset_changed = false;  // the first at a new UTC offset
};
/// How a change of the clocks or a leap day affected it: the occurrence's own note, else
/// "offset_changed"; empty if not at all. The names are stable API.
[[nodiscard]] std::string_view note_of(const ListedOccurrence& listed);

/// Iterates over the occurrences of a rule for display: includes those that a policy skips. Rule
/// and zone must outlive it.
class ListedOccurrences {
public:
    /// Starts with the first one strictly after `after`.
    ListedOccurrences(const Recurrence& rule, const Zone& zone, Instant after);
    /// Empty when the rule has ended.
    [[nodiscard]] std::optional<ListedOccurrence> next();

private:
    const Zone& zone_;
    std::unique_ptr<OccurrenceCursor> cursor_;
    std::optional<std::chrono::seconds> offset_;  // of the last one that fired
};

}  // namespace sundial
