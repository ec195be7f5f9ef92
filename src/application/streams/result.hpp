#pragma once

#include "domain/error.hpp"

namespace sundial {

template <class T>
using StreamResult = Result<T, ValidationFailed, StreamOptimisticLock, EventIdReused, AggregateNotFound, StreamDeleted, StreamArchived, PayloadTooLarge, CheckpointConflict, CheckpointLost, FeedDiverged>;

}  // namespace sundial
