#include "application/intake/follow_outbox.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <variant>

#include "application/ports/failures.hpp"
#include "application/transactions/after_commit.hpp"
#include "base/crash_point.hpp"
#include "base/json.hpp"
#include "domain/outcome.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t least_id = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t greatest_id = std::numeric_limits<std::int64_t>::max();

/// Gaps read at once. Most sources have fewer: a gap is an id whose transaction was rolled back, or
/// has not ended.
constexpr std::size_t ranges_at_once = 500;
constexpr OutboxLimits page_limits{};

/// An instance that stops without handing over is replaced after this time.
constexpr std::chrono::microseconds lease_of_follower = 10s;
constexpr std::chrono::microseconds renew_after = lease_of_follower / 3;

constexpr std::chrono::microseconds first_pause = 1s, longest_pause = 60s;

/// How long the record of deleted rows is kept, because the application may restore an older copy
/// of its database.
constexpr std::chrono::microseconds keep_taken = 7 * 24h;
constexpr std::chrono::microseconds between_tidying = 1h;

/// The application's database did not answer. Sundial's own did.
class OutboxLost : public Unavailable {
public:
    using Unavailable::Unavailable;
};

/// Errors of one row that are recorded: as many as the API shows for a request.
constexpr std::size_t max_errors = 20;

constexpr std::array kinds{std::string_view{"event"}, std::string_view{"schedule"},
                           std::string_view{"user"}};

bool is_event(const OutboxRow& row) { return row.kind == "event"; }

std::vector<IdInterval> ids_of(std::span<const TakenRange> ranges) {
    std::vector<IdInterval> ids;
    ids.reserve(ranges.size());
    for (const TakenRange& range : ranges) ids.push_back(range.ids);
    return ids;
}

std::string json_of(const std::vector<FieldError>& errors) {
    base::JsonWriter json;
    json.begin_array();
    for (const FieldError& error : std::span{errors}.first(std::min(errors.size(), max_errors))) {
        json.begin_object().member("pointer", std::string_view{storable_reason(error.pointer)});
        json.member("code", std::string_view{error.code});
        // Databases store no U+0000 in JSON, and a message may quote the row.
        json.member("message", std::string_view{storable_reason(error.message)}).end_object();
    }
    return std::move(json.end_array()).text();
}

Refusal refuse_field(std::string pointer, std::string code, std::string message) {
    return refusal_of(
        ValidationFailed{{{std::move(pointer), std::move(code), std::move(message)}}});
}

/// The defect of the row itself, if it has one.
std::optional<Refusal> refuse_row(const OutboxRow& row) {
    if (row.too_large) {
        return Refusal{"PAYLOAD_TOO_LARGE", "the request has more than " +
                                                std::to_string(max_outbox_request) + " bytes"};
    }
    if (!row.kind || std::ranges::find(kinds, *row.kind) == kinds.end()) {
        return refuse_field("/kind", "not_allowed", "must be one of 'event', 'schedule', 'user'");
    }
    if (!row.request) return refuse_field("/request", "required", "must be JSON text");
    return std::nullopt;
}

RefusedRow refused_row(const OutboxRow& row, const Refusal& why, Instant now) {
    const bool known = row.kind && std::ranges::find(kinds, *row.kind) != kinds.end();
    return {.id = row.id,
            .kind = known ? *row.kind : "",
            .code = why.code,
            .detail = storable_reason(why.detail),
            .errors = json_of(why.errors),
            .refused_at = now};
}

}  // namespace

FollowOutbox::FollowOutbox(Source source, InstanceId instance, bool alone, const Ports& ports)
    : source_(std::move(source)),
      instance_(instance),
      alone_(alone),
      ports_(ports),
      rows_at_once_(page_limits.rows) {}

bool FollowOutbox::look() {
    const std::lock_guard lock(looking_);
    if (!leads()) return false;
    try {
        const bool more = look_in_turn();
        note_health("");
        return more;
    } catch (const OutboxLost& lost) {
        note_health(storable_reason(lost.what()));
        throw;
    }
}

void FollowOutbox::watch(IntakeSignal& signal, std::chrono::microseconds tick) {
    const SchedulerScope scheduler;
    std::chrono::microseconds pause = first_pause;
    std::string reported;
    for (std::chrono::microseconds wait{0}; signal.wait(wait);) {
        try {
            wait = look() ? 0us : tick;
            pause = first_pause;
            if (!std::exchange(reported, {}).empty()) {
                log(base::LogLevel::info, "an outbox is read again");
            }
        } catch (const std::exception& error) {
            if (std::exchange(reported, error.what()) != error.what()) {
                log(base::LogLevel::warn, "an outbox cannot be read; its rows wait", error.what());
            }
            wait = pause;
            pause = std::min(pause * 2, longest_pause);
        }
    }
}

void FollowOutbox::hand_over() {
    const std::lock_guard lock(looking_);
    if (leads_until_ == Mono::min()) return;
    leads_until_ = Mono::min();
    try {
        ports_.store.transact([&](Transaction& tx) {
            auto state = tx.outboxes().try_lock(source_.name);
            if (!state || state->followed_by != instance_) return false;
            state->followed_by.reset();
            state->lease_ends = tx.now();
            tx.outboxes().update(*state);
            return true;
        });
    } catch (const std::exception& error) {
        log(base::LogLevel::warn, "an outbox is followed again when its lease ends", error.what());
    }
}

bool FollowOutbox::leads() {
    const Mono now = ports_.monotonic.now();
    if (now < leads_until_) return true;
    leads_until_ = Mono::min();
    bool leading = false;
    ports_.store.transact([&](Transaction& tx) {
        leading = false;
        tx.outboxes().declare(
            {.name = source_.name, .source = source_.place, .changed_at = tx.now()});
        auto state = tx.outboxes().try_lock(source_.name);
        if (!state) return false;
        const bool free = !state->followed_by || *state->followed_by == instance_ ||
                          state->lease_ends <= tx.now();
        if (!alone_ && !free) return false;
        health_ = state->failure;  // perhaps recorded by another instance
        state->source = source_.place;
        state->followed_by = instance_;
        state->lease_ends = alone_ ? never : tx.now() + lease_of_follower;
        tx.outboxes().update(*state);
        return leading = true;
    });
    if (leading) leads_until_ = alone_ ? Mono::max() : now + renew_after;
    return leading;
}

bool FollowOutbox::look_in_turn() {
    const Window newest = newest_gaps();
    const OutboxPage page = read(newest.gaps);
    check_sequence(page);
    take(page.rows);
    if (page.more) return true;
    if (!newest.whole) {
        const auto [gaps, last] = older_gaps();
        const OutboxPage older = read(gaps);
        take(older.rows);
        if (!older.more) swept_ = last;
    }
    tidy();
    return false;
}

FollowOutbox::Window FollowOutbox::newest_gaps() {
    const auto ranges = ids_of(in_read(ports_.store, [&](Transaction& tx) {
        return tx.outboxes().newest_taken(source_.name, ranges_at_once);
    }));
    greatest_taken_ = ranges.empty() ? std::nullopt : std::optional{ranges.back().last};
    const bool whole = ranges.size() < ranges_at_once;
    return {gaps_in(ranges, {whole ? least_id : ranges.front().first, greatest_id}), whole};
}

std::pair<std::vector<IdInterval>, std::int64_t> FollowOutbox::older_gaps() {
    const auto after = [&](std::optional<std::int64_t> id) {
        return ids_of(in_read(ports_.store, [&](Transaction& tx) {
            return tx.outboxes().taken_after(source_.name, id, ranges_at_once);
        }));
    };
    auto ranges = after(swept_);
    if (ranges.empty()) {
        swept_.reset();
        ranges = after(swept_);
    }
    if (ranges.empty()) return {{}, least_id};
    const IdInterval within{swept_.value_or(least_id), ranges.back().last};
    return {gaps_in(ranges, within), within.last};
}

OutboxPage FollowOutbox::read(std::span<const IdInterval> gaps) {
    try {
        return source_.outbox->read(gaps, page_limits);
    } catch (const Unavailable& lost) {
        throw OutboxLost{lost.what()};
    }
}

std::vector<bool> FollowOutbox::has_rows(std::span<const IdInterval> ranges) {
    try {
        return source_.outbox->has_rows(ranges);
    } catch (const Unavailable& lost) {
        throw OutboxLost{lost.what()};
    }
}

void FollowOutbox::check_sequence(const OutboxPage& page) {
    if (!page.last_id || !greatest_taken_ || *page.last_id >= *greatest_taken_) return;
    throw OutboxLost{
        "the table sundial_outbox gives out ids again: its sequence is at " +
        std::to_string(*page.last_id) + ", and row " + std::to_string(*greatest_taken_) +
        " was taken before. Set the sequence past that, or follow the table under another name"};
}

void FollowOutbox::take(std::span<const OutboxRow> rows) {
    for (std::size_t at = 0, size = rows_at_once_; at < rows.size();) {
        const auto part = rows.subspan(at, std::min(size, rows.size() - at));
        try {
            take_together(part);
            at += part.size();
            rows_at_once_ = std::min(page_limits.rows, rows_at_once_ * 2);
        } catch (const Unavailable&) {
            // The storage is gone, or the transaction took too long.
            rows_at_once_ = std::max<std::size_t>(1, part.size() / 2);
            throw;
        } catch (const std::exception& error) {
            // Each row alone, to find the one that fails.
            if (part.size() == 1) {
                log(base::LogLevel::error, "a row of an outbox failed: " + name_of(part.front()),
                    error.what());
                refuse_alone(part.front());
                ++at;
            }
            size = 1;
        }
    }
}

void FollowOutbox::take_together(std::span<const OutboxRow> rows) {
    HeldEffects effects;
    Taken taken;
    CRASH_POINT("outbox: before taking");
    ports_.store.transact([&](Transaction& tx) {
        static_cast<void>(effects.take());  // the work may run again
        taken = {};
        auto state = tx.outboxes().try_lock(source_.name);
        if (!state) return false;  // another instance takes rows
        const auto known =
            ids_of(tx.outboxes().taken_near(source_.name, {rows.front().id, rows.back().id}));
        std::vector<OutboxRow> left;
        std::ranges::copy_if(rows, std::back_inserter(left),
                             [&](const OutboxRow& row) { return !has_id(known, row.id); });
        if (left.empty()) return false;
        taken = carry_out(tx, left);
        record(tx, *std::move(state), taken);
        CRASH_POINT("outbox: before commit");
        return true;
    });
    CRASH_POINT("outbox: after commit");
    for (const auto& effect : effects.take()) effect();
    report(taken);
}

void FollowOutbox::refuse_alone(const OutboxRow& row) {
    Taken taken;
    ports_.store.transact([&](Transaction& tx) {
        taken = {.ids = {row.id},
                 .refused = {refused_row(row,
                                         {"INTERNAL_ERROR",
                                          "An internal error occurred; the server's log has "
                                          "details under " +
                                              name_of(row)},
                                         tx.now())}};
        auto state = tx.outboxes().try_lock(source_.name);
        if (!state) return false;
        record(tx, *std::move(state), taken);
        return true;
    });
}

FollowOutbox::Taken FollowOutbox::carry_out(Transaction& tx, std::span<const OutboxRow> rows) {
    Taken taken;
    for (std::size_t at = 0; at < rows.size();) {
        const auto rest = rows.subspan(at);
        const auto events = static_cast<std::size_t>(std::distance(
            rest.begin(), std::ranges::find_if_not(rest.begin(), rest.end(), is_event)));
        if (events > 0) {
            schedule_events(rest.first(events), tx.now(), taken);
            at += events;
            continue;
        }
        const OutboxRow& row = rest.front();
        if (const auto why = put(row)) taken.refused.push_back(refused_row(row, *why, tx.now()));
        ++at;
    }
    for (const OutboxRow& row : rows) taken.ids.push_back(row.id);
    return taken;
}

void FollowOutbox::schedule_events(std::span<const OutboxRow> rows, Instant now, Taken& taken) {
    std::vector<NewEvent> events;
    std::vector<const OutboxRow*> owners;
    for (const OutboxRow& row : rows) {
        if (const auto why = refuse_row(row)) {
            taken.refused.push_back(refused_row(row, *why, now));
            continue;
        }
        auto event = ports_.requests.event(*row.request);
        if (!event) {
            taken.refused.push_back(refused_row(row, event.error(), now));
            continue;
        }
        if (!event->idempotency_key) event->idempotency_key = name_of(row);
        events.push_back(*std::move(event));
        owners.push_back(&row);
    }
    if (events.empty()) return;
    const auto results = ports_.schedule_event.run_each(events);
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (results[i]) continue;
        const OutboxRow& row = *owners[i];
        // Its key is taken: an earlier record of this row was lost.
        const auto* duplicate = std::get_if<DuplicateIdempotencyKey>(&results[i].error());
        if (duplicate && duplicate->key.value == name_of(row)) continue;
        taken.refused.push_back(refused_row(row, refusal_of(results[i].error()), now));
    }
}

std::optional<Refusal> FollowOutbox::put(const OutboxRow& row) {
    if (auto why = refuse_row(row)) return why;
    const Caller caller{name_of(row), "outbox:" + source_.name};
    if (row.kind == "user") {
        const auto user = ports_.requests.user(*row.request);
        return user ? put_user(*user, caller) : user.error();
    }
    const auto schedule = ports_.requests.schedule(*row.request);
    return schedule ? put_schedule(*schedule, caller) : schedule.error();
}

std::optional<Refusal> FollowOutbox::put_schedule(const ScheduleFields& fields,
                                                  const Caller& caller) {
    if (fields.external_id) {
        const auto put = ports_.put_schedule.run(*fields.external_id, fields, std::nullopt, caller);
        return put ? std::nullopt : std::optional{refusal_of(put.error())};
    }
    const auto created = ports_.create_schedule.run(fields, caller);
    return created ? std::nullopt : std::optional{refusal_of(created.error())};
}

std::optional<Refusal> FollowOutbox::put_user(const UserFields& fields, const Caller& caller) {
    if (fields.external_id) {
        const auto put = ports_.put_user.run(*fields.external_id, fields, std::nullopt, caller);
        return put ? std::nullopt : std::optional{refusal_of(put.error())};
    }
    const auto created = ports_.create_user.run(fields, caller);
    return created ? std::nullopt : std::optional{refusal_of(created.error())};
}

std::string FollowOutbox::name_of(const OutboxRow& row) const {
    return "outbox-" + source_.name + '-' + std::to_string(row.id);
}

void FollowOutbox::record(Transaction& tx, OutboxState state, const Taken& taken) {
    OutboxProgress& progress = tx.outboxes();
    const auto near =
        ids_of(progress.taken_near(source_.name, {taken.ids.front(), taken.ids.back()}));
    progress.change_taken(source_.name, with_ids(near, taken.ids), tx.now());
    progress.refuse(source_.name, taken.refused);
    state.taken += taken.ids.size();
    state.refused += taken.refused.size();
    state.last_id = std::max(state.last_id.value_or(least_id), taken.ids.back());
    state.taken_at = tx.now();
    progress.update(state);
}

void FollowOutbox::report(const Taken& taken) {
    for (const RefusedRow& row : taken.refused) {
        ports_.log.write(
            {.level = base::LogLevel::warn,
             .event_name = {},
             .message = "a row of an outbox was refused",
             .correlation_id = "outbox-" + source_.name + '-' + std::to_string(row.id),
             .fields = {{"intake", source_.name}, {"row", row.id}, {"reason", row.code}}});
    }
}

void FollowOutbox::note_health(const std::string& failure) {
    if (health_ == failure) return;
    bool locked = false;
    ports_.store.transact([&](Transaction& tx) {
        auto state = tx.outboxes().try_lock(source_.name);
        locked = state.has_value();
        if (!locked) return false;
        if (state->failure != failure) {
            state->changed_at = tx.now();
            state->failure = failure;
            tx.outboxes().update(*state);
        }
        return true;
    });
    if (locked) health_ = failure;  // otherwise the next read tries again
}

void FollowOutbox::tidy() {
    const Mono now = ports_.monotonic.now();
    if (now < tidy_at_) return;
    const bool more_taken = tidy_taken();
    const bool more_refused = tidy_refused();
    if (!more_taken && !more_refused) tidy_at_ = now + between_tidying;
}

bool FollowOutbox::tidy_taken() {
    std::vector<TakenRange> old;
    const auto ranges = in_read(ports_.store, [&](Transaction& tx) {
        auto found = tx.outboxes().taken_after(source_.name, tidied_, ranges_at_once);
        old.clear();
        for (const TakenRange& range : found) {
            if (range.changed_at + keep_taken <= tx.now()) old.push_back(range);
        }
        return found;
    });
    const std::vector<bool> there = has_rows(ids_of(old));
    std::vector<TakenRange> gone;
    for (std::size_t i = 0; i < old.size(); ++i) {
        // The greatest id stays, because it shows whether the table reuses ids.
        const bool greatest = greatest_taken_ && old[i].ids.last >= *greatest_taken_;
        if (!there[i] && !greatest) gone.push_back(old[i]);
    }
    if (!gone.empty()) forget_taken(gone);
    const bool more = ranges.size() == ranges_at_once;
    tidied_ = more ? std::optional{ranges.back().ids.last} : std::nullopt;
    return more;
}

void FollowOutbox::forget_taken(std::span<const TakenRange> gone) {
    ports_.store.transact([&](Transaction& tx) {
        if (!tx.outboxes().try_lock(source_.name)) return false;
        // Read again under the lock: another instance may have taken rows next to a range since
        // then, and the range that grew must stay, because it records those rows.
        const auto now_there = tx.outboxes().taken_after(source_.name, tidied_, ranges_at_once);
        RangeChanges changes;
        for (const TakenRange& range : gone) {
            if (std::ranges::find(now_there, range) == now_there.end()) continue;
            changes.removed.push_back(range.ids.first);
        }
        if (changes.removed.empty()) return false;
        tx.outboxes().change_taken(source_.name, changes, tx.now());
        return true;
    });
}

bool FollowOutbox::tidy_refused() {
    const auto rows = in_read(ports_.store, [&](Transaction& tx) {
        return tx.outboxes().refused_after(source_.name, tidied_refused_, ranges_at_once);
    });
    std::vector<IdInterval> ids;
    for (const RefusedRow& row : rows) ids.push_back({row.id, row.id});
    const std::vector<bool> there = has_rows(ids);
    std::vector<std::int64_t> gone;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (!there[i]) gone.push_back(ids[i].first);
    }
    if (!gone.empty()) {
        ports_.store.transact([&](Transaction& tx) {
            if (!tx.outboxes().try_lock(source_.name)) return false;
            tx.outboxes().forget_refused(source_.name, gone);
            return true;
        });
    }
    const bool more = rows.size() == ranges_at_once;
    tidied_refused_ = more ? std::optional{rows.back().id} : std::nullopt;
    return more;
}

void FollowOutbox::log(base::LogLevel level, std::string message, std::string_view reason) {
    base::LogLine line{.level = level,
                       .event_name = {},
                       .message = std::move(message),
                       .correlation_id = {},
                       .fields = {{"intake", source_.name}}};
    if (!reason.empty()) line.fields.emplace_back("reason", std::string{reason});
    ports_.log.write(std::move(line));
}

}  // namespace sundial
