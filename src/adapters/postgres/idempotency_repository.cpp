#include "application/ports/idempotency_repository.hpp"

#include <memory>
#include <utility>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/idempotency_sql.hpp"
#include "adapters/postgres/ports.hpp"

namespace sundial::postgres {
namespace {

class PostgresIdempotencyRepository final : public IdempotencyRepository {
public:
    explicit PostgresIdempotencyRepository(Session& session) : session_{session} {}
    bool try_lock(const IdempotencyScope& scope) override {
        return session_.run(sql::try_lock_idempotency_key, scope.tenant, scope.principal, scope.key)
            .get<bool>(0, 0);
    }

    std::optional<IdempotencyRecord> lock(const IdempotencyScope& scope) override {
        const Answer row =
            session_.run(sql::lock_idempotency_record, scope.tenant, scope.principal, scope.key);
        if (row.empty()) return std::nullopt;
        auto answer = row.get<std::optional<Bytes>>(0, 1);
        return IdempotencyRecord{
            .scope = scope,
            .fingerprint = row.get<Bytes>(0, 0).value,
            .answer = answer ? std::optional{std::move(answer->value)} : std::nullopt,
            .sealed = row.get<bool>(0, 2),
            .steps_done = row.get<std::uint32_t>(0, 3),
            .progress = row.get<Bytes>(0, 4).value,
            .attempt = row.get<std::uint32_t>(0, 5),
            .leased_until = row.get<std::optional<Instant>>(0, 6),
            .expires_at = row.get<Instant>(0, 7)};
    }

    void put(const IdempotencyRecord& record) override {
        const auto& [tenant, principal, key] = record.scope;
        const auto answer = record.answer ? std::optional{Bytes{*record.answer}} : std::nullopt;
        const Answer written = session_.run(sql::put_idempotency_record, tenant, principal, key,
                                            Bytes{record.fingerprint}, answer, record.sealed,
                                            record.steps_done, Bytes{record.progress},
                                            record.attempt, record.leased_until, record.expires_at);
        auto transaction = written.get<std::string>(0, 0);
        session_.add_evidence({transaction, Call{sql::find_put_of_idempotency_record, tenant,
                                                 principal, key, transaction}});
    }

    void remove(const IdempotencyScope& scope) override {
        session_.run(sql::remove_idempotency_record, scope.tenant, scope.principal, scope.key);
    }
    std::size_t remove_expired(std::size_t limit) override {
        return session_
            .run(sql::remove_expired_idempotency_records, static_cast<std::int64_t>(limit))
            .changed();
    }

private:
    Session& session_;
};

}  // namespace

std::unique_ptr<IdempotencyRepository> make_idempotency_repository(Session& session) {
    return std::make_unique<PostgresIdempotencyRepository>(session);
}

}  // namespace sundial::postgres
