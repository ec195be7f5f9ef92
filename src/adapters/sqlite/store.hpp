#pragma once

#include "application/ports/store.hpp"

namespace sundial::sqlite {

class Readers;
class Writer;

class SqliteStore final : public Store {
public:
    SqliteStore(Writer& writer, Readers& readers) : writer_{writer}, readers_{readers} {}
    void transact(const std::function<bool(Transaction&)>& work) override;
    void read(const std::function<void(Transaction&)>& work) override;
    [[nodiscard]] bool open_here() override;

private:
    Writer& writer_;
    Readers& readers_;
};

}  // namespace sundial::sqlite
