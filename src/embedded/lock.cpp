#include <memory>
#include <stop_token>
#include <utility>

#include "embedded/call_checks.hpp"
#include "embedded/parts.hpp"

namespace sundial::embedding {

Lock::Lock(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Lock::Lock(Lock&&) noexcept = default;
Lock& Lock::operator=(Lock&& other) noexcept {
    if (this == &other) return *this;
    destroy_unless_forked(std::exchange(parts_, std::move(other.parts_)));
    return *this;
}
Lock::~Lock() { destroy_unless_forked(std::move(parts_)); }

std::uint64_t Lock::fencing_token() const { return parts_->guard.lock().fencing_token.value; }
std::stop_token Lock::lost() const {
    return parts_->process.forked() ? lost_by_fork() : parts_->guard.lost();
}

}  // namespace sundial::embedding
