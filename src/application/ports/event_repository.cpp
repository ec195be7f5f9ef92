#include "application/ports/event_repository.hpp"

#include <algorithm>
#include <tuple>

namespace sundial {

void DeadLetterCounters::add(const std::string& reason, std::optional<EndpointId> endpoint,
                             Instant failed_at, EventId id) {
    if (letters_.counted == max_dead_letters) {
        letters_.complete = false;
        return;
    }
    ++letters_.counted;
    const Key key =
        by_ == DeadLettersBy::reason ? Key{reason, std::nullopt} : Key{std::string{}, endpoint};
    DeadLetterGroup& group = groups_[key];
    if (group.count == 0) {
        group.reason = key.first;
        group.endpoint = key.second;
        group.newest = failed_at;
    }
    ++group.count;
    group.oldest = failed_at;
    if (group.samples.size() < max_dead_letter_samples) group.samples.push_back(id);
}

DeadLetters DeadLetterCounters::result() && {
    for (auto& [key, group] : groups_) letters_.groups.push_back(std::move(group));
    const auto before = [](const DeadLetterGroup& a, const DeadLetterGroup& b) {
        return std::tie(a.count, a.newest, a.samples.front()) >
               std::tie(b.count, b.newest, b.samples.front());
    };
    std::ranges::sort(letters_.groups, before);
    if (letters_.groups.size() > max_dead_letter_groups) {
        letters_.groups.resize(max_dead_letter_groups);
    }
    return std::move(letters_);
}

}  // namespace sundial
