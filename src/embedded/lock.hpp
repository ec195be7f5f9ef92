#pragma once

#include "application/locks/lock_guard.hpp"
#include "embedded/own_process.hpp"
#include "sundial/embedding.hpp"

namespace sundial::embedding {

struct Lock::Parts {
    LockGuard guard;
    OwnProcess process{};
};

}  // namespace sundial::embedding
