#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace sundial::http {

/// Bounds the memory of answers that clients have not read yet. All share one budget; a network
/// (see network_of) gets at most a quarter. A network without unread answers may have one of any
/// size while all take at most twice the budget. Thread-safe.
class AnswerBudget {
public:
    explicit AnswerBudget(std::size_t bytes)
        : max_(bytes), max_of_network_(bytes / 4), max_with_first_answers_(2 * bytes) {}
    AnswerBudget(const AnswerBudget&) = delete;
    AnswerBudget& operator=(const AnswerBudget&) = delete;

    /// The bytes of one answer, from construction to destruction.
    class Share {
    public:
        Share(Share&& other) noexcept;
        Share& operator=(Share&&) = delete;
        ~Share();

    private:
        friend class AnswerBudget;
        Share(AnswerBudget& budget, std::string network, std::size_t bytes)
            : budget_(&budget), network_(std::move(network)), bytes_(bytes) {}

        AnswerBudget* budget_;
        std::string network_;
        std::size_t bytes_;
    };

    /// Empty if the answer exceeds a bound.
    [[nodiscard]] std::optional<Share> reserve(const std::string& network, std::size_t bytes);
    /// Takes the bytes even if they exceed a bound: the answer tells of an effect.
    [[nodiscard]] Share take(const std::string& network, std::size_t bytes);
    /// Whether a bound is reached already, so that no request with an effect should begin.
    [[nodiscard]] bool spent(const std::string& network) const;

private:
    [[nodiscard]] std::size_t of(const std::string& network) const;
    void release(const std::string& network, std::size_t bytes);

    const std::size_t max_, max_of_network_, max_with_first_answers_;
    mutable std::mutex mutex_;
    std::size_t taken_ = 0;
    std::unordered_map<std::string, std::size_t> of_network_;
};

}  // namespace sundial::http
