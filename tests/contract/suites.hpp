#pragma once

#include "contract/store_contract.hpp"

/// Runs every suite of this folder on one adapter: `SUNDIAL_CONTRACTS(Memory, StorageKind{…});` in
/// namespace sundial, in a program that links sundial_contract.
#define SUNDIAL_CONTRACTS(adapter, ...) \
    INSTANTIATE_TEST_SUITE_P(adapter, StoreContract, testing::Values(__VA_ARGS__))
