#include <boost/json.hpp>
#include <cstdint>
#include <map>
#include <vector>

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/codecs.hpp"
#include "adapters/http/api/json_members.hpp"
#include "adapters/http/api/paging.hpp"
#include "adapters/http/api/query.hpp"
#include "adapters/http/api/routes.hpp"
#include "base/json.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
namespace {

void write_reschedule(base::JsonWriter& json, const Reschedule& reschedule) {
    json.key("reschedule").begin_object();
    json.member("rescheduledCount", reschedule.rescheduled)
        .member("skippedCount", reschedule.skipped.size());
    json.member("totalPendingCount", reschedule.total_pending).key("skippedEventIds").begin_array();
    for (const EventId& id : reschedule.skipped) json.value(to_string(id));
    json.end_array().end_object();
}

}  // namespace

namespace {

UserFields fields_in(const Members& members) {
    return {.external_id = members.text("externalId"),
            .first_name = members.text("firstName").value_or(""),
            .last_name = members.text("lastName").value_or(""),
            .date_of_birth = members.text("dateOfBirth").value_or(""),
            .timezone = members.text("timezone").value_or(""),
            .dates = members.texts("dates"),
            .metadata = members.texts("metadata")};
}

}  // namespace

UserFields user_fields(const JsonBody& body) { return fields_in(Members(body)); }

UserEdit user_edit(const JsonBody& body) {
    const Members members(body);
    return {.external_id = members.edit("externalId"),
            .first_name = members.text("firstName"),
            .last_name = members.text("lastName"),
            .date_of_birth = members.text("dateOfBirth"),
            .timezone = members.text("timezone"),
            .dates = members.texts_edit("dates"),
            .metadata = members.texts_edit("metadata")};
}

std::string user_json(const User& user, const std::optional<Reschedule>& reschedule) {
    base::JsonWriter json;
    json.begin_object().member("id", to_string(user.id)).member("externalId", user.external_id);
    json.member("firstName", user.first_name).member("lastName", user.last_name);
    json.member("dateOfBirth", format_date(user.date_of_birth)).member("timezone", user.timezone);
    json.key("dates").begin_object();
    for (const auto& [name, date] : user.dates) json.member(name, format_date(date));
    json.end_object().key("metadata").begin_object();
    for (const auto& [name, text] : user.metadata) json.member(name, text);
    json.end_object().member("version", user.version.value);
    json.member("createdAt", format_instant_millis(user.created_at));
    json.member("updatedAt", format_instant_millis(user.updated_at));
    if (reschedule) write_reschedule(json, *reschedule);
    return std::move(json.end_object()).text();
}

namespace {

constexpr std::string_view user_by_external_id = "ext:";
constexpr std::size_t max_users_passed = 10'000;  // by a page whose filter matches few

UserQuery::Sort user_sort_of(const Request& request) {
    std::string_view sort = request.query_value("sort").value_or("createdAt");
    if (sort.starts_with('-')) sort.remove_prefix(1);
    if (sort == "lastName") return UserQuery::Sort::last_name;
    return sort == "updatedAt" ? UserQuery::Sort::updated_at : UserQuery::Sort::created_at;
}

PageKey place_of(const User& user, UserQuery::Sort sort) {
    const auto micros = [](Instant at) { return std::to_string(at.time_since_epoch().count()); };
    switch (sort) {
        case UserQuery::Sort::last_name:
            return {user.last_name, user.id.value};
        case UserQuery::Sort::updated_at:
            return {micros(user.updated_at), user.id.value};
        case UserQuery::Sort::created_at:
            break;
    }
    return {micros(user.created_at), user.id.value};
}

/// The required members of a whole user, on a route that also accepts a partial body.
std::vector<FieldError> missing_members(const UserFields& user) {
    std::vector<FieldError> errors;
    const auto require = [&](const std::string& text, const char* pointer) {
        if (text.empty())
            errors.push_back(
                {pointer, "required", "is required to create or replace a whole user"});
    };
    require(user.first_name, "/firstName");
    require(user.last_name, "/lastName");
    require(user.date_of_birth, "/dateOfBirth");
    require(user.timezone, "/timezone");
    return errors;
}

/// The problem of one item, with its place in the batch.
Problem at_user(Problem problem, std::size_t index) {
    const std::string place = "/users/" + std::to_string(index);
    for (FieldError& error : problem.errors) error.pointer.insert(0, place);
    problem.members.emplace_back("index", static_cast<std::int64_t>(index));
    return problem;
}

/// The valid users of a batch, and the problems of the others by their place.
struct UserBatch {
    std::vector<UserFields> users;
    std::map<std::size_t, Problem> refused;
    std::size_t size = 0;
};

UserBatch users_in(const Request& request) {
    const auto& items = request.json->value().as_object().at("users").as_array();
    UserBatch batch;
    batch.size = items.size();
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto refusal = request.refused_items.find(i);
        if (refusal != request.refused_items.end()) {
            batch.refused.emplace(i, validation_failed(refusal->second));
        } else {
            batch.users.push_back(fields_in(Members(items[i].as_object())));
        }
    }
    return batch;
}

class UserRoutes {
public:
    explicit UserRoutes(UserApi api) : api_(api) {}

    [[nodiscard]] Response list(const Request& request) const {
        std::vector<FieldError> errors;
        Moments moments(request, api_.clock, errors);
        UserQuery query;
        query.timezones = list_value(request, "timezone");
        query.birth_month = number_value(request, "birthMonth");
        query.birth_day = number_value(request, "birthDay");
        query.prefix = text_value(request, "q");
        query.created_from = moments.value("createdFrom");
        query.created_to = moments.value("createdTo");
        query.sort = user_sort_of(request);
        if (!errors.empty()) return refused(validation_failed(std::move(errors)), request);
        const auto page =
            page_request(request, query.sort == UserQuery::Sort::last_name ? SortValue::text
                                                                           : SortValue::number);
        if (!page) return refused(page.error(), request);
        query.page = *page;

        query.max_passed = max_users_passed;

        const Page<User> users = api_.queries.users(query);
        return page_response(users, request, [&](auto& json, const User& user) {
            json.raw(user_json(user));
            return place_of(user, query.sort);
        });
    }

    [[nodiscard]] Response create(const Request& request) const {
        const auto user = api_.users.create.run(user_fields(*request.json), caller_of(request));
        if (!user) return refused(user.error(), request);
        return created(user_json(*user), user->version, "/v1/users/" + to_string(user->id));
    }

    [[nodiscard]] Response create_batch(const Request& request) const {
        UserBatch batch = users_in(request);
        const bool all = request.query_value("atomic") == "true";
        if (all && !batch.refused.empty()) {
            const auto& [index, problem] = *batch.refused.begin();
            return refused(at_user(problem, index), request);
        }
        const auto results = all ? api_.users.create_many.run_all(batch.users, caller_of(request))
                                 : api_.users.create_many.run_each(batch.users, caller_of(request));
        if (all && !results.back()) {
            return refused(at_user(problem_of(results.back().error()), results.size() - 1),
                           request);
        }
        base::JsonWriter json;
        json.begin_object().key("data").begin_array();
        bool whole = batch.refused.empty();
        auto result = results.begin();
        for (std::size_t i = 0; i < batch.size; ++i) {
            if (const auto refusal = batch.refused.find(i); refusal != batch.refused.end()) {
                json.raw(refused(refusal->second, request).body);
                continue;
            }
            if (result->has_value()) {
                json.raw(user_json(**result));
            } else {
                whole = false;
                json.raw(refused(problem_of(result->error()), request).body);
            }
            ++result;
        }
        return http::json(whole ? 201 : 207, std::move(json.end_array().end_object()).text());
    }

    [[nodiscard]] Response import(const Request& request) const {
        UserBatch batch = users_in(request);
        const auto results = api_.users.create_many.import_each(batch.users, caller_of(request));
        std::size_t made = 0, replaced = 0, unchanged = 0;
        base::JsonWriter problems;
        problems.begin_array();
        auto result = results.begin();
        for (std::size_t i = 0; i < batch.size; ++i) {
            if (const auto refusal = batch.refused.find(i); refusal != batch.refused.end()) {
                problems.raw(refused(at_user(refusal->second, i), request).body);
                continue;
            }
            if (!result->has_value()) {
                problems.raw(refused(at_user(problem_of(result->error()), i), request).body);
            } else {
                ++((*result)->created ? made : replaced);
                if (!(*result)->changed) ++unchanged;
            }
            ++result;
        }
        base::JsonWriter json;
        json.begin_object().member("created", made).member("replaced", replaced);
        json.member("unchanged", unchanged);
        json.member("failed", batch.size - made - replaced).key("problems");
        json.raw(std::move(problems.end_array()).text()).end_object();
        return http::json(made + replaced == batch.size ? 200 : 207, std::move(json).text());
    }

    [[nodiscard]] Response get(const Request& request) const {
        const auto user = api_.queries.user(request.path_value("id"));
        if (!user) return refused(user.error(), request);
        return found(request, user_json(*user), user->version);
    }

    [[nodiscard]] Response put(const Request& request) const {
        const std::string& id = request.path_value("id");
        return id.starts_with(user_by_external_id)
                   ? put_whole(request, id.substr(user_by_external_id.size()))
                   : patch(request);
    }

    [[nodiscard]] Response patch(const Request& request) const {
        const auto edited = api_.users.edit.run(request.path_value("id"), user_edit(*request.json),
                                                expected(request), caller_of(request));
        if (!edited) return refused(edited.error(), request);
        return with_etag(json(200, user_json(edited->user, edited->reschedule)),
                         edited->user.version);
    }

    [[nodiscard]] Response remove(const Request& request) const {
        const UserHistory history =
            request.query_value("history") == "keep" ? UserHistory::keep : UserHistory::erase;
        const auto done = api_.users.remove.run(request.path_value("id"), history,
                                                expected(request), caller_of(request));
        return done ? no_content() : refused(done.error(), request);
    }

private:
    [[nodiscard]] Response put_whole(const Request& request, const std::string& external_id) const {
        UserFields requested = user_fields(*request.json);
        auto errors = missing_members(requested);
        if (requested.external_id.value_or(external_id) != external_id) {
            errors.push_back({"/externalId", "not_allowed",
                              "the path has another externalId; to change a user's externalId, PUT "
                              "or PATCH the user by its id"});
        }
        if (!errors.empty()) {
            return refused(validation_failed(std::move(errors)), request);
        }
        const auto put = api_.users.put.run(external_id, std::move(requested), expected(request),
                                            caller_of(request));
        if (!put) return refused(put.error(), request);
        std::string body = user_json(put->user, put->reschedule);
        if (put->created)
            return created(std::move(body), put->user.version,
                           "/v1/users/" + to_string(put->user.id));
        return with_etag(json(200, std::move(body)), put->user.version);
    }

    [[nodiscard]] std::optional<Version> expected(const Request& request) const {
        return expected_version(request, [&]() -> std::optional<Version> {
            const auto user = api_.queries.user(request.path_value("id"));
            return user ? std::optional(user->version) : std::nullopt;
        });
    }

    UserApi api_;
};

}  // namespace

void add_user_routes(Router& router, UserApi api) {
    const UserRoutes routes(api);
    const auto add = [&](std::string method, std::string pattern,
                         Response (UserRoutes::*handler)(const Request&) const) {
        router.add(std::move(method), std::move(pattern), handler_of(routes, handler));
    };
    add("GET", "/v1/users", &UserRoutes::list);
    add("PATCH", "/v1/users/{id}", &UserRoutes::patch);
    add("POST", "/v1/users/batch", &UserRoutes::create_batch);
    add("POST", "/v1/users/import", &UserRoutes::import);
    for (const std::string base : {"/v1/users", "/user", "/users"}) {
        add("POST", base, &UserRoutes::create);
        add("GET", base + "/{id}", &UserRoutes::get);
        add("PUT", base + "/{id}", &UserRoutes::put);
        add("DELETE", base + "/{id}", &UserRoutes::remove);
    }
}

}  // namespace sundial::http
