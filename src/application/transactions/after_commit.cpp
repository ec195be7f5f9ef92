#include "application/transactions/after_commit.hpp"

#include <utility>

namespace sundial {
namespace {

thread_local HeldEffects* held_here = nullptr;

}  // namespace

void after_commit(std::function<void()> effect) {
    if (held_here == nullptr) return effect();
    held_here->effects_.push_back(std::move(effect));
}

HeldEffects::HeldEffects() : outer_(std::exchange(held_here, this)) {}

HeldEffects::~HeldEffects() { held_here = outer_; }

std::vector<std::function<void()>> HeldEffects::take() { return std::exchange(effects_, {}); }

}  // namespace sundial
