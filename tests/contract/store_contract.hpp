#pragma once

#include "contract/storage.hpp"

namespace sundial {

/// Transactions, recorded events, schedules, endpoints and inbox of a Store.
class StoreContract : public StorageTest {};

}  // namespace sundial
