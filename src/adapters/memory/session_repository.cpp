#include "application/ports/session_repository.hpp"

#include <algorithm>
#include <memory>
#include <tuple>

#include "adapters/memory/ports.hpp"
#include "adapters/memory/state.hpp"
#include "adapters/memory/table.hpp"

namespace sundial::memory {
namespace {

class MemorySessionRepository final : public SessionRepository {
public:
    explicit MemorySessionRepository(State& state) : sessions_{state.sessions} {}

    void add(const BrowserSession& session) override {
        sessions_.insert(session.token_hash, session);
    }
    std::vector<BrowserSession> all() override {
        std::vector<BrowserSession> all;
        for (const auto& [hash, session] : sessions_.rows()) all.push_back(session);
        std::ranges::sort(all, {}, [](const BrowserSession& session) {
            return std::tuple{session.created_at, session.token_hash};
        });
        return all;
    }
    void remove(const std::string& token_hash) override {
        if (sessions_.find(token_hash)) sessions_.erase(token_hash);
    }
    void remove_of(const std::string& handle, std::size_t kept) override {
        auto of_key = all();
        std::erase_if(of_key, [&](const BrowserSession& one) { return one.handle != handle; });
        for (std::size_t i = 0; i + kept < of_key.size(); ++i)
            sessions_.erase(of_key[i].token_hash);
    }
    void forget(Instant until, std::size_t most) override {
        const auto before = all();
        std::size_t left = before.size();
        for (const BrowserSession& session : before) {
            if (session.expires_at > until) continue;
            sessions_.erase(session.token_hash);
            --left;
        }
        for (const BrowserSession& session : all()) {
            if (left <= most) return;
            sessions_.erase(session.token_hash);
            --left;
        }
    }

private:
    Table<std::string, BrowserSession>& sessions_;
};

}  // namespace

std::unique_ptr<SessionRepository> make_session_repository(Session& session) {
    return std::make_unique<MemorySessionRepository>(session.state);
}

}  // namespace sundial::memory
