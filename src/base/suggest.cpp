#include "base/suggest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/ascii.hpp"

namespace sundial::base {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0U);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view wrong,
                                   std::span<const std::string> candidates) {
    constexpr std::size_t longest_word =
        64;  // longer than any known name; bounds the cost of hostile input
    if (wrong.empty() || wrong.size() > longest_word) return std::nullopt;
    std::size_t best = std::max<std::size_t>(2, wrong.size() / 3) + 1;
    const std::string* found = nullptr;
    for (const std::string& candidate : candidates) {
        const std::size_t difference = candidate.size() > wrong.size()
                                           ? candidate.size() - wrong.size()
                                           : wrong.size() - candidate.size();
        if (difference >= best) continue;
        if (const std::size_t distance = edit_distance(wrong, candidate); distance < best) {
            best = distance;
            found = &candidate;
        }
    }
    return found == nullptr ? std::nullopt : std::optional(*found);
}

}  // namespace sundial::base
