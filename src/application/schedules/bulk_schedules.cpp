#include "application/schedules/bulk_schedules.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "application/audit/action_audit.hpp"
#include "application/requests/refusal.hpp"
#include "application/schedules/delete_schedule.hpp"
#include "application/schedules/edit_schedule.hpp"
#include "application/schedules/schedule_fields.hpp"
#include "base/check.hpp"
#include "base/json.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;

/// Schedules of one transaction. Each may have an operation of its own, so it is a short one.
constexpr std::size_t schedules_of_batch = 20;
constexpr std::size_t schedules_of_page = 500;
/// As in the document of the API.
constexpr std::size_t most_tags = 20;

// ---- validation

bool selects_anything(const ScheduleQuery& filter) {
    return filter.enabled || filter.per_user || !filter.kinds.empty() || !filter.types.empty() ||
           filter.endpoint || filter.prefix || filter.tag;
}

std::vector<FieldError> defects_of_bulk(const ScheduleBulkRequest& request) {
    std::vector<FieldError> defects;
    if (request.ids.empty() && !selects_anything(request.filter)) {
        defects.push_back({"/filter", "required", "select the schedules by a filter or by ids"});
    }
    if (request.note && request.action != ScheduleBulkAction::pause) {
        defects.push_back({"/note", "not_allowed", "belongs to the action pause only"});
    }
    const bool has_tags = !request.add_tags.empty() || !request.remove_tags.empty();
    if (has_tags != (request.action == ScheduleBulkAction::tag)) {
        defects.push_back(
            has_tags
                ? FieldError{"/addTags", "not_allowed", "tags belong to the action tag only"}
                : FieldError{"/addTags", "required", "the action tag adds tags or removes some"});
    }
    return defects;
}

/// A pause selects what it can pause, and a resume what it can resume.
ScheduleQuery query_of_bulk(const ScheduleBulkRequest& request) {
    ScheduleQuery query = request.filter;
    if (query.enabled) return query;
    if (request.action == ScheduleBulkAction::pause) query.enabled = true;
    if (request.action == ScheduleBulkAction::resume) query.enabled = false;
    return query;
}

// ---- selection

std::string place_of_schedule(const Schedule& schedule) {
    return to_string(schedule.id) + std::to_string(schedule.created_at.time_since_epoch().count());
}
PageKey page_key_of_schedule(std::string_view place) {
    constexpr std::size_t id_length = 36;
    const auto id = base::parse_uuid(place.substr(0, id_length));
    base::check(id.has_value());
    return {std::string{place.substr(id_length)}, *id};
}

struct ScheduleSelection {
    std::uint64_t count = 0;
    std::vector<Schedule> first;
    bool too_many = false;
};

ScheduleSelection selected_schedules(Transaction& tx, const ScheduleBulkRequest& request) {
    ScheduleSelection selection;
    const auto add = [&](const Schedule& schedule) {
        ++selection.count;
        if (selection.first.size() < max_samples) selection.first.push_back(schedule);
    };
    for (const ScheduleId id : request.ids) {
        if (const auto schedule = tx.schedules().find(id)) add(*schedule);
    }
    if (!request.ids.empty()) return selection;
    ScheduleQuery query = query_of_bulk(request);
    query.page = {.limit = schedules_of_page, .descending = false, .after = std::nullopt};
    for (bool more = true; more && !selection.too_many;) {
        const Page<Schedule> page = tx.schedules().list(query);
        for (const Schedule& schedule : page.items) add(schedule);
        more = page.has_more && !page.items.empty();
        if (more) query.page.after = page_key_of_schedule(place_of_schedule(page.items.back()));
        selection.too_many = selection.count > max_bulk_schedules;
    }
    return selection;
}

/// The schedules of one batch, in the order of the cursor.
struct SchedulePart {
    struct Item {
        ScheduleId id;
        std::string place;  // the cursor once it is done
    };
    std::vector<Item> items;
    bool last = false;
};

std::size_t size_of_schedule_part(const ScheduleBulkRequest& request) {
    // A deletion cancels events in the same transaction.
    return request.action == ScheduleBulkAction::remove ? 1 : schedules_of_batch;
}

SchedulePart part_of_schedule_ids(const ScheduleBulkRequest& request, std::string_view cursor) {
    std::size_t done = 0;
    std::from_chars(cursor.data(), cursor.data() + cursor.size(), done);
    SchedulePart part;
    const std::size_t end = std::min(request.ids.size(), done + size_of_schedule_part(request));
    for (; done < end; ++done) part.items.push_back({request.ids[done], std::to_string(done + 1)});
    part.last = done == request.ids.size();
    return part;
}

/// A schedule that was created in the operation's moment has a smaller id.
bool existed_at_start(const Schedule& schedule, const Operation& operation) {
    return schedule.created_at < operation.created_at ||
           (schedule.created_at == operation.created_at && schedule.id.value < operation.id.value);
}

SchedulePart part_of_schedule_filter(Transaction& tx, const ScheduleBulkRequest& request,
                                     const Operation& operation, std::string_view cursor) {
    ScheduleQuery query = query_of_bulk(request);
    query.page = {
        .limit = size_of_schedule_part(request), .descending = false, .after = std::nullopt};
    if (!cursor.empty()) query.page.after = page_key_of_schedule(cursor);
    const Page<Schedule> page = tx.schedules().list(query);
    SchedulePart part;
    part.last = !page.has_more || page.items.empty();
    for (const Schedule& schedule : page.items) {
        if (existed_at_start(schedule, operation)) {
            part.items.push_back({schedule.id, place_of_schedule(schedule)});
        } else {
            part.last = true;  // in order of creation, all others are newer too
        }
    }
    return part;
}

/// The schedule whose deletion the batch before has begun. `cursor` is its place.
SchedulePart part_of_unfinished(const ScheduleBulkRequest& request, std::string_view cursor) {
    const std::string place{cursor};
    if (request.ids.empty()) return {{{ScheduleId{page_key_of_schedule(place).id}, place}}, false};
    std::size_t number = 0;
    std::from_chars(cursor.data(), cursor.data() + cursor.size(), number);
    base::check(1 <= number && number <= request.ids.size());
    return {{{request.ids[number - 1], place}}, number == request.ids.size()};
}

// ---- actions

std::vector<std::string> tags_after(const Schedule& schedule, const ScheduleBulkRequest& request) {
    std::vector<std::string> tags = schedule.tags;
    tags.insert(tags.end(), request.add_tags.begin(), request.add_tags.end());
    std::erase_if(tags, [&](const std::string& tag) {
        return std::ranges::find(request.remove_tags, tag) != request.remove_tags.end();
    });
    std::ranges::sort(tags);
    const auto rest = std::ranges::unique(tags);
    tags.erase(rest.begin(), rest.end());
    return tags;
}

/// The fields that a single PATCH would have for the same change.
ScheduleFields fields_of_bulk(const Schedule& schedule, const ScheduleBulkRequest& request) {
    ScheduleFields fields;
    if (request.action == ScheduleBulkAction::tag) {
        fields.tags = tags_after(schedule, request);
        return fields;
    }
    fields.enabled = request.action == ScheduleBulkAction::resume;
    if (request.note) fields.note = request.note;
    return fields;
}

/// One batch.
class ChangingSchedules {
public:
    ChangingSchedules(Transaction& tx, const TzData& zones, Ids& ids,
                      const ScheduleBulkRequest& request)
        : tx_(tx), zones_(zones), ids_(ids), request_(request) {}

    Batch run(const SchedulePart& part) {
        batch_.last = part.last;
        // Other transactions share several schedules in the order of their ids.
        std::vector<ScheduleId> ids;
        for (const auto& item : part.items) ids.push_back(item.id);
        std::ranges::sort(ids);
        for (const ScheduleId id : ids) change(id);
        if (!part.items.empty()) {
            batch_.cursor = part.items.back().place + (unfinished_ ? "+" : "");
        }
        if (unfinished_) batch_.last = false;
        // Operations that plan events again come before the next batch.
        batch_.pause = std::chrono::microseconds{1};
        return std::move(batch_);
    }

private:
    void change(ScheduleId id) {
        const auto before = tx_.schedules().lock(id);
        if (!before && request_.action == ScheduleBulkAction::remove) {
            ++batch_.done;  // another caller was faster
            return;
        }
        if (!before) return fail(id, NotFound{Noun::schedule, to_string(id)});
        if (request_.action == ScheduleBulkAction::remove) {
            unfinished_ = !delete_some_of(tx_, ids_, *before, request_.caller);
            if (!unfinished_) ++batch_.done;
            return;
        }
        const ScheduleFields fields = fields_of_bulk(*before, request_);
        if (fields.tags && fields.tags->size() > most_tags) {
            return fail(id, invalid("/addTags", "out_of_range",
                                    "would have more than " + std::to_string(most_tags) + " tags"));
        }
        auto after = edited(tx_, *before, fields, zones_);
        if (!after) return fail(id, after.error());
        ++batch_.done;
        if (store_schedule_edit(tx_, ids_, *before, *after, request_.caller)) {
            tx_.operations().add(
                unheld_operation(ids_, OperationKind::replan_schedule, *after, tx_.now()));
        }
    }

    void fail(ScheduleId id, const Error& error) {
        Refusal refusal = refusal_of(error);
        batch_.failures.push_back({OperationSubject::schedule, id.value, std::move(refusal.code),
                                   std::move(refusal.detail)});
    }

    Transaction& tx_;
    const TzData& zones_;
    Ids& ids_;
    const ScheduleBulkRequest& request_;
    Batch batch_;
    bool unfinished_ = false;  // the deletion of the only schedule of this batch
};

/// For the audit stream.
std::string recorded_schedule_bulk(const ScheduleBulkRequest& request, std::uint64_t total) {
    base::JsonWriter json;
    const auto texts = [&](const char* name, const auto& values) {
        if (values.empty()) return;
        json.key(name).begin_array();
        for (const auto& value : values) json.value(std::string_view{value});
        json.end_array();
    };
    json.begin_object().member("resource", "schedules").member("action", to_string(request.action));
    const ScheduleQuery& filter = request.filter;
    if (filter.enabled) json.member("enabled", *filter.enabled);
    if (filter.per_user) json.member("perUser", *filter.per_user);
    texts("eventType", filter.types);
    if (filter.endpoint) json.member("endpointId", to_string(*filter.endpoint));
    if (filter.prefix) json.member("q", *filter.prefix);
    if (filter.tag) json.member("tag", *filter.tag);
    texts("addTags", request.add_tags);
    texts("removeTags", request.remove_tags);
    json.member("ids", request.ids.size()).member("total", total);
    return std::move(json.end_object()).text();
}

}  // namespace

ScheduleBulkResult<ScheduleBulk> BulkSchedules::run(const ScheduleBulkCall& call,
                                                    const Caller& caller) {
    ScheduleBulkRequest request = call.request;
    request.caller = caller;
    if (auto defects = defects_of_bulk(request); !defects.empty()) {
        return ValidationFailed{std::move(defects)};
    }
    auto selection =
        in_read(store_, [&](Transaction& tx) { return selected_schedules(tx, request); });
    if (selection.too_many) {
        return invalid(
            "/filter", "out_of_range",
            "selects more than " + std::to_string(max_bulk_schedules) + " schedules: narrow it");
    }
    if (call.dry_run) {
        return ScheduleBulk{selection.count, std::move(selection.first), std::nullopt};
    }
    const std::uint64_t total = request.ids.empty() ? selection.count : request.ids.size();
    const auto started = in_transaction(store_, [&](Transaction& tx) {
        auto operation = operations_.start_bulk(tx, stored_schedule_bulk(request), total);
        if (operation) {
            record_operation(tx, *operation, "BulkStarted", recorded_schedule_bulk(request, total),
                             {caller, ids_.fresh()});
        }
        return operation;
    });
    if (!started) return std::get<TooManyOperations>(Error{started.error()});
    return ScheduleBulk{total, {}, operations_.begin(*started)};
}

std::uint64_t ScheduleBulkTask::count(Transaction& tx, const Operation& operation) {
    return selected_schedules(tx, read_schedule_bulk(operation.request.value())).count;
}

Batch ScheduleBulkTask::run(Transaction& tx, const Operation& operation) {
    const ScheduleBulkRequest request = read_schedule_bulk(operation.request.value());
    std::string_view cursor = operation.cursor ? std::string_view{*operation.cursor} : "";
    const auto zones = zones_.current();
    ChangingSchedules changing{tx, *zones, ids_, request};
    if (cursor.ends_with('+')) {
        cursor.remove_suffix(1);
        return changing.run(part_of_unfinished(request, cursor));
    }
    return changing.run(request.ids.empty()
                            ? part_of_schedule_filter(tx, request, operation, cursor)
                            : part_of_schedule_ids(request, cursor));
}

}  // namespace sundial
