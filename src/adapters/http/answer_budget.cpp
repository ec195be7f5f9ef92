#include "adapters/http/answer_budget.hpp"

#include <utility>

namespace sundial::http {

AnswerBudget::Share::Share(Share&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)),
      network_(std::move(other.network_)),
      bytes_(other.bytes_) {}

AnswerBudget::Share::~Share() {
    if (budget_ != nullptr) budget_->release(network_, bytes_);
}

std::optional<AnswerBudget::Share> AnswerBudget::reserve(const std::string& network,
                                                         std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const std::size_t before = of(network);
    const bool fits = before + bytes <= max_of_network_ && taken_ + bytes <= max_;
    const bool may_exceed = before == 0 && taken_ + bytes <= max_with_first_answers_;
    if (!fits && !may_exceed && taken_ > 0) return std::nullopt;
    taken_ += bytes;
    of_network_[network] += bytes;
    return Share(*this, network, bytes);
}

AnswerBudget::Share AnswerBudget::take(const std::string& network, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    taken_ += bytes;
    of_network_[network] += bytes;
    return {*this, network, bytes};
}

bool AnswerBudget::spent(const std::string& network) const {
    const std::lock_guard lock(mutex_);
    const std::size_t own = of(network);
    if (own == 0) return taken_ >= max_with_first_answers_;
    return own >= max_of_network_ || taken_ >= max_;
}

std::size_t AnswerBudget::of(const std::string& network) const {
    const auto found = of_network_.find(network);
    return found == of_network_.end() ? 0 : found->second;
}

void AnswerBudget::release(const std::string& network, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    taken_ -= bytes;
    const auto found = of_network_.find(network);
    found->second -= bytes;
    if (found->second == 0) of_network_.erase(found);
}

}  // namespace sundial::http
