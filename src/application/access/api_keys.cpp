#include "application/access/api_keys.hpp"

#include <algorithm>
#include <exception>

#include "application/audit/recorded_changes.hpp"
#include "base/text.hpp"
#include "domain/names.hpp"

namespace sundial {

std::optional<KeyHolder> ApiKeyRing::holder_of(std::string_view key_text) {
    const auto shown = parse_key_text(key_text);
    if (!shown) return std::nullopt;
    const auto now_known = known();
    const std::lock_guard lock(mutex_);
    if (const auto fixed = fixed_.find(shown->handle); fixed != fixed_.end()) {
        if (!secrets_.matches(shown->secret, fixed->second.secret_hash)) return std::nullopt;
        return KeyHolder{shown->handle, fixed->second.role};
    }
    const auto found = now_known->keys.find(shown->handle);
    // Always compares, so that the time does not reveal whether the key exists.
    const std::string no_hash(32, '\0');
    const bool exists = found != now_known->keys.end();
    const bool matches =
        secrets_.matches(shown->secret, exists ? found->second.secret_hash : no_hash);
    if (!exists || !matches || expired(found->second, now_known->as_of)) return std::nullopt;
    uses_.insert_or_assign(found->second.id, now_known->as_of);
    return KeyHolder{shown->handle, found->second.role};
}

std::optional<KeyHolder> ApiKeyRing::with_handle(std::string_view handle) {
    const auto now_known = known();
    const std::lock_guard lock(mutex_);
    if (const auto fixed = fixed_.find(handle); fixed != fixed_.end()) {
        return KeyHolder{fixed->first, fixed->second.role};
    }
    const auto found = now_known->keys.find(handle);
    if (found == now_known->keys.end() || expired(found->second, now_known->as_of)) {
        return std::nullopt;
    }
    uses_.insert_or_assign(found->second.id, now_known->as_of);
    return KeyHolder{found->first, found->second.role};
}

bool ApiKeyRing::empty() {
    const bool none_kept = known()->keys.empty();
    const std::lock_guard lock(mutex_);
    return none_kept && fixed_.empty();
}

std::optional<bool> ApiKeyRing::last_known_empty() const {
    const std::lock_guard lock(mutex_);
    if (!fixed_.empty()) return false;
    return last_ ? std::optional(last_->keys.empty()) : std::nullopt;
}

ExpiringKeys ApiKeyRing::expiring() const {
    const auto last = [this] {
        const std::lock_guard lock(mutex_);
        return last_;
    }();
    if (!last) return {};
    ExpiringKeys expiring{.as_of = last->as_of};
    for (const auto& [handle, key] : last->keys) {
        if (!key.expires_at || expired(key, last->as_of)) continue;
        expiring.keys.push_back({key.id, key.role, *key.expires_at});
    }
    std::ranges::sort(expiring.keys, {}, &ExpiringKey::at);
    return expiring;
}

void ApiKeyRing::check_again() {
    {
        const std::lock_guard lock(mutex_);
        known_.reset();
        ++generation_;
    }
    try {
        (void)read();
    } catch (const std::exception&) {
        return;  // the change is committed; the next request reads the keys
    }
}

void ApiKeyRing::fix(std::vector<FixedKey> keys) {
    std::map<std::string, FixedKey, std::less<>> by_handle;
    for (FixedKey& key : keys) by_handle.insert_or_assign(key.handle, std::move(key));
    const std::lock_guard lock(mutex_);
    fixed_ = std::move(by_handle);
}

std::vector<Role> ApiKeyRing::fixed_roles() const {
    const std::lock_guard lock(mutex_);
    std::vector<Role> roles;
    roles.reserve(fixed_.size());
    for (const auto& [handle, key] : fixed_) roles.push_back(key.role);
    return roles;
}

void ApiKeyRing::note_uses() {
    std::map<ApiKeyId, Instant> uses;
    {
        const std::lock_guard lock(mutex_);
        uses.swap(uses_);
    }
    if (uses.empty()) return;
    store_.transact([&](Transaction& tx) {
        for (const auto& [id, at] : uses) tx.api_keys().note_use(id, at);
        return true;
    });
}

/// One request reads for all. The others use the cache, unless it is too old even for that.
std::shared_ptr<const ApiKeyRing::Known> ApiKeyRing::known() {
    if (auto fresh = known_if_younger(fresh_for)) return fresh;
    std::unique_lock reading(reading_, std::try_to_lock);
    if (!reading) {
        if (auto usable = known_if_younger(stale_after)) return usable;
        reading.lock();
        if (auto fresh = known_if_younger(fresh_for)) return fresh;
    }
    return read();
}

std::shared_ptr<const ApiKeyRing::Known> ApiKeyRing::known_if_younger(
    std::chrono::microseconds age) {
    const std::lock_guard lock(mutex_);
    return known_ && monotonic_.now() - known_->read_at < age ? known_ : nullptr;
}

std::shared_ptr<const ApiKeyRing::Known> ApiKeyRing::read() {
    const auto begun = monotonic_.now();
    const auto generation = [this] {
        const std::lock_guard lock(mutex_);
        return generation_;
    }();
    auto read = std::make_shared<Known>();
    read->read_at = begun;
    store_.read([&](Transaction& tx) {
        read->as_of = tx.now();
        read->keys.clear();  // the work may run again
        for (ApiKey& key : tx.api_keys().all()) {
            read->keys.emplace(handle_of(key.id), std::move(key));
        }
    });
    const std::lock_guard lock(mutex_);
    if (generation == generation_) known_ = last_ = read;  // else older than a change made here
    return read;
}

namespace {

std::vector<FieldError> defects(const NewApiKey& requested, Instant now) {
    std::vector<FieldError> found;
    const auto length = base::count_code_points(requested.name);
    if (!length || *length == 0) {
        found.push_back({"/name", "required", "a key needs a name"});
    } else if (*length > max_name_length) {
        found.push_back({"/name", "too_long",
                         "a name has at most " + std::to_string(max_name_length) + " characters"});
    }
    if (requested.expires_at && *requested.expires_at <= now) {
        found.push_back({"/expiresAt", "out_of_range", "a key must expire in the future"});
    }
    return found;
}

}  // namespace

ApiKeyResult<CreatedApiKey> CreateApiKey::run(const NewApiKey& requested, const Caller& caller) {
    const auto fresh = secrets_.make();
    const auto fixed = fixed_roles_();
    return in_transaction(store_, [&](Transaction& tx) -> ApiKeyResult<CreatedApiKey> {
        if (auto found = defects(requested, tx.now()); !found.empty()) {
            return ValidationFailed{std::move(found)};
        }
        const auto others = tx.api_keys().lock_all();
        if (others.size() >= max_api_keys) {
            return invalid("", "not_allowed",
                           "there are " + std::to_string(others.size()) +
                               " keys, the maximum; revoke some first");
        }
        ApiKey key{.id = ApiKeyId{ids_.fresh()},
                   .name = requested.name,
                   .role = requested.role,
                   .secret_hash = fresh.hash,
                   .expires_at = requested.expires_at,
                   .created_at = tx.now()};
        const auto same_handle = [&](const ApiKey& other) {
            return handle_of(other.id) == handle_of(key.id);
        };
        while (std::ranges::any_of(others, same_handle)) key.id = ApiKeyId{ids_.fresh()};
        const auto allowed = may_add(key, {others, fixed}, tx.now());
        if (!allowed) return allowed.error();
        tx.api_keys().add(key);
        tx.record(api_key_created(key, {ids_.fresh(), caller}));
        return CreatedApiKey{key, to_string(KeyText{handle_of(key.id), fresh.secret})};
    });
}

ApiKeyResult<void> RevokeApiKey::run(std::string_view reference, const Caller& caller) {
    const auto fixed = fixed_roles_();
    const auto uuid = base::parse_uuid(reference);
    return in_transaction(store_, [&](Transaction& tx) -> ApiKeyResult<void> {
        const auto keys = tx.api_keys().lock_all();
        const auto key = std::ranges::find_if(keys, [&](const ApiKey& one) {
            return uuid ? one.id.value == *uuid : handle_of(one.id) == reference;
        });
        if (key == keys.end()) return NotFound{Noun::api_key, std::string{reference}};
        const auto allowed = may_remove(*key, {keys, fixed}, tx.now());
        if (!allowed) return allowed.error();
        tx.api_keys().remove(key->id);
        tx.sessions().remove_of(handle_of(key->id), 0);
        tx.record(api_key_revoked(*key, {ids_.fresh(), caller}));
        return {};
    });
}

}  // namespace sundial
