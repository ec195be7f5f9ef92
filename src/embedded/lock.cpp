#include "embedded/lock.hpp"

#include <utility>

namespace sundial::embedding {

Lock::Lock(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Lock::Lock(Lock&&) noexcept = default;
Lock& Lock::operator=(Lock&&) noexcept = default;
Lock::~Lock() = default;

std::uint64_t Lock::fencing_token() const { return parts_->guard.lock().fencing_token.value; }
std::stop_token Lock::lost() const { return parts_->guard.lost(); }

}  // namespace sundial::embedding
