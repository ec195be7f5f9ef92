#include "application/delivery/division.hpp"

#include <algorithm>
#include <cstddef>

namespace sundial {
namespace {

/// The weights of the instances' own claims (claim_scheduler.cpp).
constexpr Division division_weights{8, 4, 2, 1};

}  // namespace

bool any(const MayHaveMore& may_have_more) {
    return std::ranges::any_of(may_have_more, [](bool one) { return one; });
}

Division divided(std::uint32_t total, const MayHaveMore& may_have_more, Random& random) {
    Division shares{};
    std::uint32_t sum = 0;
    for (std::size_t p = 0; p < may_have_more.size(); ++p)
        sum += may_have_more[p] ? division_weights[p] : 0;
    if (sum == 0) return shares;
    std::uint32_t left = total;
    for (std::size_t p = 0; p < may_have_more.size(); ++p) {
        shares[p] = may_have_more[p] ? total * division_weights[p] / sum : 0;
        left -= shares[p];
    }
    for (; left > 0; --left) {
        auto drawn = static_cast<std::uint32_t>(random.unit() * sum);
        std::size_t p = 0;
        while (!may_have_more[p] || drawn >= division_weights[p]) {
            if (may_have_more[p]) drawn -= division_weights[p];
            ++p;
        }
        ++shares[p];
    }
    return shares;
}

}  // namespace sundial
