#pragma once

#include "adapters/sqlite/session.hpp"
#include "application/ports/user_repository.hpp"

namespace sundial::sqlite {

/// Only one connection writes, so every row that it reads is already locked and shared.
class SqliteUserRepository final : public UserRepository {
public:
    explicit SqliteUserRepository(Session& session) : connection_{session.connection} {}
    Result<void> add(const User& user) override;
    std::optional<User> find(UserId id) override;
    std::optional<UserId> id_of(std::string_view external_id) override;
    std::map<std::string, UserId> ids_of(std::span<const std::string> external_ids) override;
    std::optional<User> lock(UserId id) override { return find(id); }
    std::vector<User> share(std::span<const UserId> ids) override;
    std::vector<User> try_share(std::span<const UserId> ids) override;
    Result<void> update(const User& user) override;
    void remove(UserId id) override;
    Page<User> list(const UserQuery& query) override;
    std::uint64_t count() override;
    std::vector<User> share_after(std::optional<UserId> after, std::size_t limit) override;

private:
    Connection& connection_;
};

}  // namespace sundial::sqlite
