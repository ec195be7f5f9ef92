#pragma once

#include "contract/storage.hpp"

namespace sundial {

/// Who gets what and when: claims, leases, horizon, backlog and depth of an EventQueue.
class EventQueueContract : public StorageTest {};

/// What became of claims: settle and give_back of an EventQueue.
class SettleContract : public StorageTest {};

}  // namespace sundial
