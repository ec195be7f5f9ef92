#include "embedded/callbacks.hpp"

namespace sundial::embedding {
namespace {

thread_local const Callbacks::Call* innermost_call = nullptr;

}  // namespace

Callbacks::Call::Call(const Callbacks& owner) : owner_(owner), outer_(innermost_call) {
    innermost_call = this;
}

Callbacks::Call::~Call() { innermost_call = outer_; }

bool Callbacks::running_here() const {
    for (const Call* call = innermost_call; call != nullptr; call = call->outer_) {
        if (&call->owner_ == this) return true;
    }
    return false;
}

}  // namespace sundial::embedding
