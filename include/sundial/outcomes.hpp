#pragma once

#include "sundial/engine.hpp"
#include "sundial/finishing.hpp"
#include "sundial/streams.hpp"

/// How events ended, as a subscription: `engine.outcomes()`. The declarations in
/// `sundial/finishing.hpp` have the documentation; start with `Outcomes`.
namespace sundial {

using embedding::EventOutcome;
using embedding::OutcomeFollowing;
using embedding::Outcomes;

}  // namespace sundial
