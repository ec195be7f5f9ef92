#include "application/transactions/retrying.hpp"

#include <utility>
#include <variant>

#include "application/ports/failures.hpp"

namespace sundial {

bool RetryErrors<Error>::passing(const Error& error) {
    return std::holds_alternative<OptimisticLock>(error) ||
           std::holds_alternative<StreamOptimisticLock>(error);
}

Error RetryErrors<Error>::after(Error error, unsigned attempts) {
    if (auto* lock = std::get_if<StreamOptimisticLock>(&error)) lock->attempts = attempts;
    return error;
}

Error RetryErrors<Error>::invalid(std::string why) {
    return sundial::invalid("/retry", "not_allowed", std::move(why));
}

bool is_unavailable(const std::exception& thrown) {
    return dynamic_cast<const Unavailable*>(&thrown) != nullptr;
}

}  // namespace sundial
