#pragma once

#include "application/ports/clock.hpp"

namespace sundial::sqlite {

class Time;
class Writer;

class SqliteClock final : public Clock {
public:
    SqliteClock(Time& time, Writer& writer) : time_{time}, writer_{writer} {}
    Instant now() override;
    [[nodiscard]] bool is_test() const override;
    Result<void> set(Instant now) override;

private:
    Time& time_;
    Writer& writer_;
};

}  // namespace sundial::sqlite
