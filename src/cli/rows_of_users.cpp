#include "cli/command_rows.hpp"

/// Users.
namespace sundial::cli {
namespace {

Arguments user_members(bool needed) {
    Arguments arguments{
        member("firstName", "first name, 1 to 255 characters"),
        member("lastName", "last name, 1 to 255 characters"),
        member("dateOfBirth", "YYYY-MM-DD"),
        member("timezone", "IANA name, such as Europe/Paris"),
    };
    for (Argument& argument : arguments) argument.required = needed;
    return with(
        arguments,
        {member("externalId", "your id; also names the user as ext:…"),
         member("dates", R"(further dates: {"anniversary":"2015-06-01"})").as(ValueKind::json),
         member("metadata", "your own members, for templates").as(ValueKind::json)});
}

}  // namespace

void add_rows_of_users(std::vector<ApiCommand>& rows) {
    const std::string path = "/v1/users/{id}";
    rows.push_back(
        {.noun = "user",
         .verb = "list",
         .help = "list users",
         .operation = "listUsers",
         .method = "GET",
         .path = "/v1/users",
         .arguments = {filter("timezone", "in any of these zones").as(ValueKind::words),
                       filter("birthMonth", "born in this month, 1 to 12").as(ValueKind::number),
                       filter("birthDay", "born on this day of the month").as(ValueKind::number),
                       prefix_of("id, external id, first or last name"),
                       filter("createdFrom", "created at or after: " + an_instant),
                       filter("createdTo", "created before")},
         .shape = Shape::pages,
         .columns = {{"user", "@ref"},
                     {"first name", "firstName"},
                     {"last name", "lastName"},
                     {"born", "dateOfBirth"},
                     {"zone", "timezone"},
                     {"created", "createdAt"}},
         .sorts = {"createdAt", "lastName", "updatedAt"}});
    rows.push_back({.noun = "user",
                    .verb = "get",
                    .help = "one user",
                    .operation = "v1GetUser",
                    .names = {"seedGetUser", "seedsGetUser"},
                    .method = "GET",
                    .path = path,
                    .arguments = {id_of("user")}});
    rows.push_back({.noun = "user",
                    .verb = "add",
                    .help = "add a user",
                    .operation = "v1CreateUser",
                    .names = {"seedCreateUser", "seedsCreateUser"},
                    .method = "POST",
                    .path = "/v1/users",
                    .arguments = user_members(true),
                    .whole_body = true});
    rows.push_back({.noun = "user",
                    .verb = "set",
                    .help = "change members of a user",
                    .operation = "patchUser",
                    .method = "PATCH",
                    .path = path,
                    .arguments = with({id_of("user")}, user_members(false)),
                    .whole_body = true,
                    .versioned = true,
                    .current = "same"});
    rows.push_back({.noun = "user",
                    .verb = "put",
                    .help = "create or replace a user",
                    .operation = "v1PutUser",
                    .names = {"seedPutUser", "seedsPutUser"},
                    .method = "PUT",
                    .path = path,
                    .arguments = {id_of("user"), file_of_settings()},
                    .versioned = true,
                    .current = "same"});
    rows.push_back({.noun = "user",
                    .verb = "add-many",
                    .help = "create the users of a file: {\"users\":[…]}, 1,000 at most",
                    .operation = "createUsers",
                    .method = "POST",
                    .path = "/v1/users/batch",
                    .arguments = {file_of_settings(),
                                  filter("atomic", "all of them, or none").as(ValueKind::flag)}});
    rows.push_back({.noun = "user",
                    .verb = "import",
                    .help = "create or replace the users of a file by their external ids",
                    .operation = "importUsers",
                    .method = "POST",
                    .path = "/v1/users/import",
                    .arguments = {file_of_settings()}});
    rows.push_back({.noun = "user",
                    .verb = "delete",
                    .help = "delete a user and the user's events",
                    .operation = "v1DeleteUser",
                    .names = {"seedDeleteUser", "seedsDeleteUser"},
                    .method = "DELETE",
                    .path = path,
                    .arguments = {id_of("user"),
                                  filter("history", "keep: keep finished events, without the user")
                                      .of({"keep"})},
                    .versioned = true,
                    .question = "delete the user {id} and the user's events",
                    .current = "same",
                    .done = "deleted"});
}

}  // namespace sundial::cli
