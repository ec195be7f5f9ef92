#pragma once

#include "sundial/embedding.hpp"

/// Locks by name among all processes on one database: `Engine::acquire_lock` in
/// `sundial/engine.hpp` gives one. What each word means stands at its declaration in
/// `sundial/embedding.hpp`.
namespace sundial {

using embedding::Lock;
using embedding::LockOptions;

}  // namespace sundial
