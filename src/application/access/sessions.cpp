#include "application/access/sessions.hpp"

#include <utility>

#include "base/text.hpp"

namespace sundial {
namespace {

/// In base64url without padding, so that a header can carry it.
std::string header_text(std::string_view bytes) {
    std::string text = base::to_base64(bytes);
    text.erase(text.find_last_not_of('=') + 1);
    for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
    return text;
}

}  // namespace

std::optional<Sessions::LoggedIn> Sessions::log_in(std::string_view key) {
    const auto holder = ports_.keys.holder_of(key);
    if (!holder) return std::nullopt;
    const ApiKeySecrets::Fresh fresh = ports_.secrets.make();
    BrowserSession session{
        .token_hash = fresh.hash, .handle = holder->handle, .created_at = {}, .expires_at = {}};
    ports_.store.transact([&](Transaction& tx) {
        session.created_at = tx.now();
        session.expires_at = tx.now() + lifetime_;
        tx.sessions().remove_of(holder->handle, max_sessions_of_key - 1);
        tx.sessions().forget(tx.now(), max_sessions - 1);
        tx.sessions().add(session);
        return true;
    });
    forget_known();
    auto found = shown(session, fresh.secret);
    if (!found) return std::nullopt;
    return LoggedIn{fresh.secret, *std::move(found)};
}

std::optional<SessionHolder> Sessions::holder_of(std::string_view token) {
    const std::string hash = ports_.secrets.hash(token);
    const auto now_known = known(hash);
    const auto found = now_known->sessions.find(hash);
    if (found == now_known->sessions.end()) return std::nullopt;
    const Instant now = now_known->as_of + (ports_.monotonic.now() - now_known->read_at);
    if (now >= found->second.expires_at) return std::nullopt;
    return shown(found->second, token);
}

void Sessions::log_out(std::string_view token) {
    ports_.store.transact([&](Transaction& tx) {
        tx.sessions().remove(ports_.secrets.hash(token));
        return true;
    });
    forget_known();
}

void Sessions::forget_known() {
    const std::lock_guard lock(mutex_);
    known_.reset();
}

std::shared_ptr<const Sessions::Known> Sessions::known(const std::string& hash) {
    const auto usable = [&]() -> std::shared_ptr<const Known> {
        const std::lock_guard lock(mutex_);
        if (!known_) return nullptr;
        const Mono age = ports_.monotonic.now() - known_->read_at;
        const bool has = known_->sessions.contains(hash);
        return age < (has ? Mono{ApiKeyRing::fresh_for} : Mono{reread_after}) ? known_ : nullptr;
    };
    if (auto found = usable()) return found;
    const std::lock_guard reading(reading_);
    if (auto found = usable()) return found;  // another request has read them
    return read();
}

std::shared_ptr<const Sessions::Known> Sessions::read() {
    auto fresh = std::make_shared<Known>();
    fresh->read_at = ports_.monotonic.now();
    ports_.store.read([&](Transaction& tx) {
        fresh->as_of = tx.now();
        fresh->sessions.clear();
        for (BrowserSession& session : tx.sessions().all()) {
            std::string hash = session.token_hash;
            fresh->sessions.emplace(std::move(hash), std::move(session));
        }
    });
    const std::lock_guard lock(mutex_);
    known_ = fresh;
    return fresh;
}

std::optional<SessionHolder> Sessions::shown(const BrowserSession& session,
                                             std::string_view token) {
    auto holder = ports_.keys.with_handle(session.handle);
    if (!holder) return std::nullopt;  // the key was revoked or has expired
    return SessionHolder{*std::move(holder),
                         header_text(ports_.secrets.hash("csrf " + std::string{token})),
                         session.expires_at};
}

}  // namespace sundial
