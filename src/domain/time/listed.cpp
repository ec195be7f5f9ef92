#include "domain/time/listed.hpp"

#include <utility>

namespace sundial {

std::string_view note_of(const ListedOccurrence& listed) {
    if (listed.occurrence.note != OccurrenceNote::none) return to_string(listed.occurrence.note);
    return listed.offset_changed ? "offset_changed" : "";
}

ListedOccurrences::ListedOccurrences(const Recurrence& rule, const Zone& zone, Instant after)
    : zone_(zone), cursor_(rule.after(after, Skipped::listed)) {
    const auto before = newest_until(rule, Instant::min(), after, 1);
    if (!before.empty()) offset_ = zone.offset_at(before.front().instant);
}

std::optional<ListedOccurrence> ListedOccurrences::next() {
    const auto found = cursor_->next();
    if (!found) return std::nullopt;
    if (is_skip(found->note)) return ListedOccurrence{*found, false};
    const auto offset = zone_.offset_at(found->instant);
    const auto before = std::exchange(offset_, offset);
    return ListedOccurrence{*found, before && *before != offset};
}

}  // namespace sundial
