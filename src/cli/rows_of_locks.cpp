#include <boost/json.hpp>

#include "cli/command_rows.hpp"
#include "cli/output.hpp"

/// Locks.
namespace sundial::cli {
namespace {

namespace json = boost::json;

Argument lock_name() { return in_path("name", "name", "the lock"); }
Argument lock_token() {
    return member("lockToken", "token that acquire printed").named("lock-token").needed();
}
Argument lock_ttl() {
    return member("ttl", "lease: the lock expires after this time without renewal")
        .otherwise("PT30S");
}

void print_acquired(const json::object& lock, const Output& output) {
    output.out << text_of(lock, "lockToken") << "  fencing token " << text_of(lock, "fencingToken")
               << ", until " << text_of(lock, "expiresAt") << '\n';
}
void print_renewed(const json::object& lock, const Output& output) {
    output.out << "held until " << text_of(lock, "expiresAt") << '\n';
}

}  // namespace

void add_rows_of_locks(std::vector<ApiCommand>& rows) {
    const std::string path = "/v1/locks/{name}";
    rows.push_back(
        {.noun = "lock",
         .verb = "list",
         .help = "list held locks",
         .operation = "listLocks",
         .method = "GET",
         .path = "/v1/locks",
         .arguments = {filter("q", "only locks whose names begin with this").named("prefix")},
         .shape = Shape::pages,
         .columns = {{"lock", "name"},
                     {"holder", "holder"},
                     {"acquired", "acquiredAt"},
                     {"expires", "expiresAt"},
                     {"fencing token", "fencingToken"}}});
    rows.push_back({.noun = "lock",
                    .verb = "get",
                    .help = "show the holder of a lock",
                    .operation = "getLock",
                    .method = "GET",
                    .path = path,
                    .arguments = {lock_name()}});
    rows.push_back(
        {.noun = "lock",
         .verb = "acquire",
         .help = "acquire a lock and print its token",
         .operation = "acquireLock",
         .method = "POST",
         .path = path,
         .arguments =
             {lock_name(), member("holder", "name of the holder, for people; host and process"),
              lock_ttl(),
              member("wait",
                     "wait at most this long while another holder has the lock, PT60S at most")
                  .otherwise("PT0S")},
         .current = path,
         .view = &print_acquired});
    rows.push_back({.noun = "lock",
                    .verb = "renew",
                    .help = "renew a lock",
                    .operation = "renewLock",
                    .method = "PUT",
                    .path = path,
                    .arguments = {lock_name(), lock_token(), lock_ttl()},
                    .current = "same",
                    .view = &print_renewed});
    rows.push_back({.noun = "lock",
                    .verb = "release",
                    .help = "release a lock",
                    .operation = "releaseLock",
                    .method = "DELETE",
                    .path = path,
                    .arguments = {lock_name(),
                                  {.name = "lock-token",
                                   .place = Place::header,
                                   .member = "Sundial-Lock-Token",
                                   .help = "token that acquire printed",
                                   .required = true}},
                    .current = "same",
                    .done = "released"});
}

}  // namespace sundial::cli
