#include "application/ports/session_repository.hpp"

#include <memory>

#include "adapters/sqlite/ports.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/session.hpp"
#include "adapters/sqlite/value.hpp"

/// SQL statements for sessions of browsers.
namespace sundial::sqlite::sql {

inline constexpr Statement add_browser_session{R"sql(
    INSERT INTO browser_sessions (token_hash, handle, created_at, expires_at)
    VALUES (?1, ?2, ?3, ?4))sql"};
inline constexpr Statement browser_sessions{R"sql(
    SELECT token_hash, handle, created_at, expires_at FROM browser_sessions
     ORDER BY created_at, token_hash)sql"};
inline constexpr Statement remove_browser_session{
    "DELETE FROM browser_sessions WHERE token_hash = ?1"};
/// ?1 handle of the key, ?2 how many stay.
inline constexpr Statement remove_browser_sessions_of_key{R"sql(
    DELETE FROM browser_sessions
     WHERE token_hash IN (SELECT token_hash FROM browser_sessions WHERE handle = ?1
                           ORDER BY created_at DESC, token_hash DESC LIMIT -1 OFFSET ?2))sql"};
/// ?1 expired until then, ?2 how many stay.
inline constexpr Statement forget_browser_sessions{R"sql(
    DELETE FROM browser_sessions
     WHERE expires_at <= ?1
        OR token_hash IN (SELECT token_hash FROM browser_sessions WHERE expires_at > ?1
                           ORDER BY created_at DESC, token_hash DESC LIMIT -1 OFFSET ?2))sql"};

}  // namespace sundial::sqlite::sql

namespace sundial::sqlite {
namespace {

class SqliteSessionRepository final : public SessionRepository {
public:
    explicit SqliteSessionRepository(Session& session) : connection_{session.connection} {}

    void add(const BrowserSession& session) override {
        connection_.execute(sql::add_browser_session, Bytes{session.token_hash}, session.handle,
                            session.created_at, session.expires_at);
    }
    std::vector<BrowserSession> all() override {
        return all_of(connection_.query(sql::browser_sessions), [](Cursor& row) {
            BrowserSession session{.token_hash = row.take<Bytes>().value,
                                   .handle = row.take<std::string>(),
                                   .created_at = row.take<Instant>(),
                                   .expires_at = row.take<Instant>()};
            return session;
        });
    }
    void remove(const std::string& token_hash) override {
        connection_.execute(sql::remove_browser_session, Bytes{token_hash});
    }
    void remove_of(const std::string& handle, std::size_t kept) override {
        connection_.execute(sql::remove_browser_sessions_of_key, handle, kept);
    }
    void forget(Instant until, std::size_t most) override {
        connection_.execute(sql::forget_browser_sessions, until, most);
    }

private:
    Connection& connection_;
};

}  // namespace

std::unique_ptr<SessionRepository> make_session_repository(Session& session) {
    return std::make_unique<SqliteSessionRepository>(session);
}

}  // namespace sundial::sqlite
