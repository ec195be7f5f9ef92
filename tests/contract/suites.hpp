#pragma once

#include "contract/event_queue_contract.hpp"
#include "contract/event_repository_contract.hpp"
#include "contract/store_contract.hpp"

/// Runs every suite of this folder on one adapter: `SUNDIAL_CONTRACTS(Memory, StorageKind{…});` in
/// namespace sundial, in a program that links sundial_contract.
#define SUNDIAL_CONTRACTS(adapter, ...)                                                       \
    INSTANTIATE_TEST_SUITE_P(adapter, EventListContract, testing::Values(__VA_ARGS__));       \
    INSTANTIATE_TEST_SUITE_P(adapter, EventQueueContract, testing::Values(__VA_ARGS__));      \
    INSTANTIATE_TEST_SUITE_P(adapter, EventRepositoryContract, testing::Values(__VA_ARGS__)); \
    INSTANTIATE_TEST_SUITE_P(adapter, SettleContract, testing::Values(__VA_ARGS__));          \
    INSTANTIATE_TEST_SUITE_P(adapter, StoreContract, testing::Values(__VA_ARGS__))
