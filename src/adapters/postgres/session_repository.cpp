#include "application/ports/session_repository.hpp"

#include <memory>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/rows.hpp"
#include "adapters/postgres/statement.hpp"

/// SQL statements for sessions of browsers.
namespace sundial::postgres::sql {

inline constexpr Statement add_browser_session{"add_browser_session", R"sql(
    INSERT INTO sundial.browser_sessions (token_hash, handle, created_at, expires_at)
    VALUES ($1, $2, $3, $4))sql"};
inline constexpr Statement browser_sessions{"browser_sessions", R"sql(
    SELECT token_hash, handle, created_at, expires_at FROM sundial.browser_sessions
     ORDER BY created_at, token_hash)sql"};
inline constexpr Statement remove_browser_session{
    "remove_browser_session", "DELETE FROM sundial.browser_sessions WHERE token_hash = $1"};
/// $1 handle of the key, $2 how many stay.
inline constexpr Statement remove_browser_sessions_of_key{"remove_browser_sessions_of_key", R"sql(
    DELETE FROM sundial.browser_sessions
     WHERE token_hash IN (SELECT token_hash FROM sundial.browser_sessions WHERE handle = $1
                           ORDER BY created_at DESC, token_hash DESC OFFSET $2))sql"};
/// $1 expired until then, $2 how many stay.
inline constexpr Statement forget_browser_sessions{"forget_browser_sessions", R"sql(
    DELETE FROM sundial.browser_sessions
     WHERE expires_at <= $1
        OR token_hash IN (SELECT token_hash FROM sundial.browser_sessions WHERE expires_at > $1
                           ORDER BY created_at DESC, token_hash DESC OFFSET $2))sql"};

}  // namespace sundial::postgres::sql

namespace sundial::postgres {
namespace {

class PostgresSessionRepository final : public SessionRepository {
public:
    explicit PostgresSessionRepository(Session& session) : session_{session} {}

    void add(const BrowserSession& session) override {
        session_.run(sql::add_browser_session, Bytes{session.token_hash}, session.handle,
                     session.created_at, session.expires_at);
    }
    std::vector<BrowserSession> all() override {
        return each_row(session_.run(sql::browser_sessions), [](const Row& row) {
            return BrowserSession{.token_hash = row.get<Bytes>("token_hash").value,
                                  .handle = row.get<std::string>("handle"),
                                  .created_at = row.get<Instant>("created_at"),
                                  .expires_at = row.get<Instant>("expires_at")};
        });
    }
    void remove(const std::string& token_hash) override {
        session_.run(sql::remove_browser_session, Bytes{token_hash});
    }
    void remove_of(const std::string& handle, std::size_t kept) override {
        session_.run(sql::remove_browser_sessions_of_key, handle, static_cast<std::int64_t>(kept));
    }
    void forget(Instant until, std::size_t most) override {
        session_.run(sql::forget_browser_sessions, until, static_cast<std::int64_t>(most));
    }

private:
    Session& session_;
};

}  // namespace

std::unique_ptr<SessionRepository> make_session_repository(Session& session) {
    return std::make_unique<PostgresSessionRepository>(session);
}

}  // namespace sundial::postgres
