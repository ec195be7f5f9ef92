#pragma once

#include "sundial/embedding.hpp"

/// Named locks among all processes on one database: acquire one with `Engine::acquire_lock` of
/// `sundial/engine.hpp`. `sundial/embedding.hpp` has the documentation.
namespace sundial {

using embedding::Lock;
using embedding::LockOptions;

}  // namespace sundial
