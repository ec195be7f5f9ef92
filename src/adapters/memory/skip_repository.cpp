#include "adapters/memory/skip_repository.hpp"

#include <utility>
#include <vector>

#include "adapters/memory/paging.hpp"

namespace sundial::memory {
namespace {

bool same_kind(const SkippedRun& a, const SkippedRun& b) {
    return a.schedule == b.schedule && a.user == b.user && a.reason == b.reason;
}

bool matches(const SkippedRun& run, const SkipQuery& query) {
    return is(query.schedule, run.schedule) && is(query.user, run.user) &&
           (!query.from || run.last >= *query.from) && (!query.to || run.first < *query.to);
}

/// A page's order includes the id, so a listed run has one.
struct ListedRun {
    struct Id {
        Uuid value;
    } id;
    SkippedRun run;
};

}  // namespace

void MemorySkipRepository::add(const SkippedRun& run) {
    for (const auto& [id, known] : skips_.rows()) {
        if (!same_kind(known, run)) continue;
        if (known.first <= run.first && known.last >= run.last) return;
        if (known.next != run.first) continue;
        skips_.change(id, [&](SkippedRun& longer) {
            longer.last = run.last;
            longer.count += run.count;
            longer.next = run.next;
            longer.recorded_at = run.recorded_at;
        });
        return;
    }
    skips_.insert(run.id, run);
}

Page<SkippedRun> MemorySkipRepository::list(const SkipQuery& query) {
    std::vector<ListedRun> found;
    for (const auto& [id, run] : skips_.rows()) {
        if (matches(run, query)) found.push_back({{id}, run});
    }
    auto sorted = page_of<std::int64_t>(std::move(found), query.page, [](const ListedRun& listed) {
        return microseconds_of(listed.run.first);
    });
    Page<SkippedRun> page{{}, sorted.has_more};
    for (ListedRun& listed : sorted.items) page.items.push_back(std::move(listed.run));
    return page;
}

void MemorySkipRepository::remove_of_user(UserId user) {
    remove_where([&](const SkippedRun& run) { return run.user == user; });
}

void MemorySkipRepository::remove_of_schedule(ScheduleId schedule) {
    remove_where([&](const SkippedRun& run) { return run.schedule == schedule; });
}

template <class Wanted>
void MemorySkipRepository::remove_where(Wanted wanted) {
    std::vector<Uuid> ids;
    for (const auto& [id, run] : skips_.rows()) {
        if (wanted(run)) ids.push_back(id);
    }
    for (const Uuid& id : ids) skips_.erase(id);
}

}  // namespace sundial::memory
