#pragma once

#include "adapters/postgres/database.hpp"
#include "application/ports/user_repository.hpp"

namespace sundial::postgres {

class PostgresUserRepository final : public UserRepository {
public:
    explicit PostgresUserRepository(Session& session) : session_{session} {}
    Result<void> add(const User& user) override;
    std::optional<User> find(UserId id) override;
    std::optional<UserId> id_of(std::string_view external_id) override;
    std::map<std::string, UserId> ids_of(std::span<const std::string> external_ids) override;
    std::optional<User> lock(UserId id) override;
    std::vector<User> share(std::span<const UserId> ids) override;
    std::vector<User> try_share(std::span<const UserId> ids) override;
    Result<void> update(const User& user) override;
    void remove(UserId id) override;
    Page<User> list(const UserQuery& query) override;
    std::uint64_t count() override;
    std::vector<User> share_after(std::optional<UserId> after, std::size_t limit) override;

private:
    Answer write(const Statement& statement, const User& user);
    Result<void> external_id_is_free(const User& user);

    Session& session_;
};

}  // namespace sundial::postgres
