#include <string>
#include <string_view>

#include "adapters/client/wire.hpp"
#include "base/json.hpp"
#include "sundial/remote.hpp"

namespace sundial {
namespace {

std::string path_of_lock(const std::string& name) { return "/v1/locks/" + client::encoded(name); }

/// The answer to a grant or a renewal. The lock has what the answer to a renewal does not repeat.
Result<RemoteLock> lock_of(const Result<ClientAnswer>& answer, RemoteLock lock) {
    const auto json = client::object_of(answer);
    if (!json) return client::completed(json.error(), {.id = lock.name});
    const auto end = client::instant_of(*json, "expiresAt");
    if (lock.token.empty()) lock.token = json->text_of("lockToken");
    lock.fencing_token = json->number_of("fencingToken");
    if (!end || lock.token.empty() || lock.fencing_token == 0) {
        return Error{"HTTP_ERROR", "the server's answer is not a lock", {}};
    }
    lock.expires_at = *end;
    return lock;
}

}  // namespace

Result<RemoteLock> RemoteLocks::try_lock(const std::string& name, const std::string& holder,
                                         std::chrono::seconds lease,
                                         std::chrono::seconds wait) const {
    base::JsonWriter json;
    json.begin_object();
    json.member("holder", std::string_view{holder}).member("ttl", client::to_iso_duration(lease));
    if (wait.count() != 0) json.member("wait", client::to_iso_duration(wait));
    json.end_object();
    return lock_of(
        client_.call({.method = "POST", .path = path_of_lock(name), .body = json.text()}),
        {.name = name, .holder = holder, .token = {}});
}

Result<RemoteLock> RemoteLocks::renew(const RemoteLock& lock, std::chrono::seconds lease) const {
    base::JsonWriter json;
    json.begin_object();
    json.member("lockToken", std::string_view{lock.token});
    json.member("ttl", client::to_iso_duration(lease));
    json.end_object();
    return lock_of(
        client_.call({.method = "PUT", .path = path_of_lock(lock.name), .body = json.text()}),
        lock);
}

Result<Done> RemoteLocks::unlock(const RemoteLock& lock) const {
    const auto answer = client_.call({.method = "DELETE",
                                      .path = path_of_lock(lock.name),
                                      .headers = {"Sundial-Lock-Token: " + lock.token}});
    if (!answer) return client::completed(answer.error(), {.id = lock.name});
    return Done{};
}

}  // namespace sundial
