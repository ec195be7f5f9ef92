#include "domain/time/effort.hpp"

#include <algorithm>

namespace sundial {
namespace {

struct Exhausted {};

/// Sets the steps of this thread; the destructor restores those of the outer computation, less
/// those that were spent meanwhile.
class Allowance {
public:
    explicit Allowance(std::int64_t steps)
        : outer_{effort::steps_left}, allowed_{std::min(steps, outer_)} {
        effort::steps_left = allowed_;
    }
    ~Allowance() { effort::steps_left += outer_ - allowed_; }
    Allowance(const Allowance&) = delete;
    Allowance& operator=(const Allowance&) = delete;

private:
    const std::int64_t outer_, allowed_;
};

}  // namespace

namespace effort {

constinit thread_local std::int64_t steps_left = unlimited;

void give_up() { throw Exhausted{}; }

}  // namespace effort

TimeError too_expensive() {
    return {TimeErrorCode::too_expensive,
            "this rule takes too long to compute: its occurrences are too sparse, or too many lie "
            "between DTSTART and the time in question. Set a later DTSTART, or UNTIL instead of "
            "COUNT, or leave out BY parts that exclude almost all times"};
}

bool within_effort(std::int64_t steps, const std::function<void()>& work) {
    try {
        const Allowance allowance{steps};
        work();
        return true;
    } catch (const Exhausted&) {
        return false;
    }
}

}  // namespace sundial
