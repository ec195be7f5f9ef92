#include "embedded/call_checks.hpp"

#include <string>

#include "adapters/system/process.hpp"

namespace sundial::embedding {

OwnProcess::OwnProcess() : id_(system::process_id()) {}

bool OwnProcess::forked() const { return system::process_id() != id_; }

Error OwnProcess::error() const {
    return {"WRONG_PROCESS", "the engine belongs to process " + std::to_string(id_) +
                                 ", which forked this one; open another engine here"};
}

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
