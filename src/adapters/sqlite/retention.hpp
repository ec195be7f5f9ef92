#pragma once

#include "application/ports/retention.hpp"

namespace sundial::sqlite {

class Writer;

class SqliteRetention final : public Retention {
public:
    explicit SqliteRetention(Writer& writer) : writer_{writer} {}
    bool forget(Kept what, std::chrono::microseconds age, std::size_t limit) override;

private:
    Writer& writer_;
};

}  // namespace sundial::sqlite
