#include "cli/locks/lock_commands.hpp"

#include <boost/json.hpp>
#include <ostream>
#include <string_view>

#include "base/json_writer.hpp"
#include "cli/answer_text.hpp"
#include "cli/exit_code.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;

}  // namespace

std::string lock_path(const std::string& name) { return "/v1/locks/" + query_text(name); }

std::string acquire_body(const LockToAcquire& wanted) {
    base::JsonWriter body;
    body.begin_object().member("holder", std::string_view{wanted.holder});
    body.member("ttl", std::string_view{wanted.ttl});
    body.member("wait", std::string_view{wanted.wait});
    return std::move(body.end_object()).text();
}

std::string renew_body(const std::string& lock_token, const std::string& ttl) {
    base::JsonWriter body;
    body.begin_object().member("lockToken", std::string_view{lock_token});
    body.member("ttl", std::string_view{ttl});
    return std::move(body.end_object()).text();
}

CallOptions showing(const std::string& lock_token) {
    return {.header = "Sundial-Lock-Token: " + lock_token};
}

int acquire_lock(const HttpClient& client, const LockToAcquire& wanted, const Output& output) {
    return print(client.call("POST", lock_path(wanted.name), acquire_body(wanted)), output,
                 [&](const json::object& lock) {
                     output.out << text_of(lock, "lockToken") << "  fencing token "
                                << text_of(lock, "fencingToken") << ", until "
                                << text_of(lock, "expiresAt") << '\n';
                 });
}

int renew_lock(const HttpClient& client, const std::string& name, const std::string& lock_token,
               const std::string& ttl, const Output& output) {
    return print(client.call("PUT", lock_path(name), renew_body(lock_token, ttl)), output,
                 [&](const json::object& lock) {
                     output.out << "held until " << text_of(lock, "expiresAt") << '\n';
                 });
}

int release_lock(const HttpClient& client, const std::string& name, const std::string& lock_token,
                 const Output& output) {
    const Answer answer = client.call("DELETE", lock_path(name), {}, showing(lock_token));
    if (answer.status == 204) {
        if (!output.json) output.out << "released\n";
        return exit_code::ok;
    }
    return print(answer, output, [](const json::object&) {});
}

int list_locks(const HttpClient& client, const std::optional<std::string>& prefix,
               const Output& output) {
    const std::string path =
        "/v1/locks?limit=500" + (prefix ? "&q=" + query_text(*prefix) : std::string{});
    return print(client.call("GET", path), output, [&](const json::object& page) {
        for (const json::value& one : page.at("data").as_array()) {
            const json::object& lock = one.as_object();
            output.out << text_of(lock, "name") << "  " << text_of(lock, "holder")
                       << "  fencing token " << text_of(lock, "fencingToken") << ", until "
                       << text_of(lock, "expiresAt") << '\n';
        }
    });
}

}  // namespace sundial::cli
