#pragma once

#include "contract/storage.hpp"

namespace sundial {

/// Claims, leases, horizon, backlog and depth of an EventQueue.
class EventQueueContract : public StorageTest {};

/// settle and release_claims of an EventQueue.
class SettleContract : public StorageTest {};

}  // namespace sundial
