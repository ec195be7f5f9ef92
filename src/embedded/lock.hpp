#pragma once

#include "application/locks/lock_guard.hpp"
#include "sundial/embedding.hpp"

namespace sundial::embedding {

struct Lock::Parts {
    LockGuard guard;
};

}  // namespace sundial::embedding
