#include "application/ports/schedule_repository.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "adapters/memory/ports.hpp"
#include "adapters/memory/state.hpp"
#include "adapters/memory/table.hpp"

namespace sundial::memory {
namespace {

class MemoryScheduleRepository final : public ScheduleRepository {
public:
    explicit MemoryScheduleRepository(State& state) : schedules_{state.schedules} {}

    Result<void, DuplicateExternalId> add(const Schedule& schedule) override {
        auto free = external_id_is_free(schedules_, schedule, Noun::schedule);
        if (free) schedules_.insert(schedule.id, schedule);
        return free;
    }

    std::optional<Schedule> find(ScheduleId id) override {
        const Schedule* schedule = schedules_.find(id);
        return schedule ? std::optional{*schedule} : std::nullopt;
    }
    std::vector<Schedule> find_all(std::span<const ScheduleId> ids) override {
        return those_of(schedules_, ids);
    }
    std::optional<ScheduleId> id_of(std::string_view external_id) override {
        return memory::id_of(schedules_, external_id);
    }
    std::optional<Schedule> lock(ScheduleId id) override { return find(id); }
    std::vector<Schedule> share(std::span<const ScheduleId> ids) override {
        return those_of(schedules_, ids);
    }

    std::vector<Schedule> with_ping(std::span<const ScheduleId> ids) override {
        std::vector<Schedule> found = those_of(schedules_, ids);
        std::erase_if(found, [](const Schedule& schedule) { return !schedule.ping_url; });
        return found;
    }

    std::vector<Schedule> share_per_user() override {
        std::vector<Schedule> schedules;
        for (const auto& [id, schedule] : schedules_.rows()) {
            if (schedule.per_user) schedules.push_back(schedule);
        }
        return schedules;
    }

    void update(const Schedule& schedule) override { schedules_.replace(schedule.id, schedule); }
    void remove(ScheduleId id) override { schedules_.erase(id); }

    Page<Schedule> list(const ScheduleQuery& query) override {
        std::vector<Schedule> schedules;
        for (const auto& [id, schedule] : schedules_.rows()) {
            if (is(query.enabled, schedule.enabled) && is(query.per_user, schedule.per_user) &&
                any_of(query.kinds, kind_of(schedule.trigger)) &&
                any_of(query.types, schedule.event_type) && is(query.endpoint, schedule.endpoint) &&
                (!query.tag || std::ranges::binary_search(schedule.tags, *query.tag)) &&
                any_starts(query.prefix, {to_string(id), schedule.event_type,
                                          schedule.external_id.value_or("")})) {
                schedules.push_back(schedule);
            }
        }
        return page_of<std::int64_t>(
            std::move(schedules), query.page,
            [](const Schedule& schedule) { return microseconds_of(schedule.created_at); });
    }

private:
    Table<ScheduleId, Schedule>& schedules_;
};

}  // namespace

std::unique_ptr<ScheduleRepository> make_schedule_repository(Session& session) {
    return std::make_unique<MemoryScheduleRepository>(session.state);
}

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

class MemorySkipRepository final : public SkipRepository {
public:
    explicit MemorySkipRepository(State& state) : skips_{state.skips} {}

    void add(const SkippedRun& run) override {
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

    Page<SkippedRun> list(const SkipQuery& query) override {
        std::vector<ListedRun> found;
        for (const auto& [id, run] : skips_.rows()) {
            if (matches(run, query)) found.push_back({{id}, run});
        }
        auto sorted = page_of<std::int64_t>(
            std::move(found), query.page,
            [](const ListedRun& listed) { return microseconds_of(listed.run.first); });
        Page<SkippedRun> page{{}, sorted.has_more};
        for (ListedRun& listed : sorted.items) page.items.push_back(std::move(listed.run));
        return page;
    }

    void remove_of_user(UserId user) override {
        remove_where([&](const SkippedRun& run) { return run.user == user; });
    }
    void remove_of_schedule(ScheduleId schedule) override {
        remove_where([&](const SkippedRun& run) { return run.schedule == schedule; });
    }

private:
    template <class Predicate>
    void remove_where(Predicate matches) {
        std::vector<Uuid> ids;
        for (const auto& [id, run] : skips_.rows()) {
            if (matches(run)) ids.push_back(id);
        }
        for (const Uuid& id : ids) skips_.erase(id);
    }

    Table<Uuid, SkippedRun>& skips_;
};

}  // namespace

std::unique_ptr<SkipRepository> make_skip_repository(Session& session) {
    return std::make_unique<MemorySkipRepository>(session.state);
}

}  // namespace sundial::memory
