#pragma once

#include <vector>

#include "contract/answer_once_contract.hpp"
#include "contract/checkpoint_contract.hpp"
#include "contract/control_plane_contract.hpp"
#include "contract/event_queue_contract.hpp"
#include "contract/event_repository_contract.hpp"
#include "contract/event_store_contract.hpp"
#include "contract/limits_contract.hpp"
#include "contract/lock_store_contract.hpp"
#include "contract/model_contract.hpp"
#include "contract/pull_queue_contract.hpp"
#include "contract/race_contract.hpp"
#include "contract/store_contract.hpp"
#include "contract/tz_repository_contract.hpp"

namespace sundial {

/// As the parameters of a suite.
template <class Kind>
std::vector<Kind> storages_of(const std::vector<StorageKind>& all) {
    return {all.begin(), all.end()};
}

}  // namespace sundial

/// Runs every suite of this folder on one adapter: `SUNDIAL_CONTRACTS(Memory, StorageKind{…});` in
/// namespace sundial, in a program that links sundial_contract.
#define SUNDIAL_CONTRACTS(adapter, ...) \
    SUNDIAL_CONTRACTS_FROM(adapter, std::vector<StorageKind>{__VA_ARGS__})

/// The same with a list of storages, which may be empty.
#define SUNDIAL_CONTRACTS_FROM(adapter, ...)                                    \
    SUNDIAL_CONTRACT_FROM(adapter, AnswerOnceContract, __VA_ARGS__);            \
    SUNDIAL_CONTRACT_FROM(adapter, ApiKeyRaceContract, __VA_ARGS__);            \
    SUNDIAL_CONTRACT_FROM(adapter, ApiKeyRepositoryContract, __VA_ARGS__);      \
    SUNDIAL_CONTRACT_FROM(adapter, AttemptListContract, __VA_ARGS__);           \
    SUNDIAL_CONTRACT_FROM(adapter, CalendarRepositoryContract, __VA_ARGS__);    \
    SUNDIAL_CONTRACT_FROM(adapter, CheckpointContract, __VA_ARGS__);            \
    SUNDIAL_CONTRACT_FROM(adapter, ClockContract, __VA_ARGS__);                 \
    SUNDIAL_CONTRACT_FROM(adapter, EndpointRepositoryContract, __VA_ARGS__);    \
    SUNDIAL_CONTRACT_FROM(adapter, EventListContract, __VA_ARGS__);             \
    SUNDIAL_CONTRACT_FROM(adapter, EventQueueContract, __VA_ARGS__);            \
    SUNDIAL_CONTRACT_FROM(adapter, EventRepositoryContract, __VA_ARGS__);       \
    SUNDIAL_CONTRACT_FROM(adapter, EventStoreContract, __VA_ARGS__);            \
    SUNDIAL_CONTRACT_FROM(adapter, ExecutionListContract, __VA_ARGS__);         \
    SUNDIAL_CONTRACT_FROM(adapter, IdempotencyRepositoryContract, __VA_ARGS__); \
    SUNDIAL_CONTRACT_FROM(adapter, InboxRepositoryContract, __VA_ARGS__);       \
    SUNDIAL_CONTRACT_FROM(adapter, InstanceRepositoryContract, __VA_ARGS__);    \
    SUNDIAL_CONTRACT_FROM(adapter, LockGuardContract, __VA_ARGS__);             \
    SUNDIAL_CONTRACT_FROM(adapter, LockStoreContract, __VA_ARGS__);             \
    SUNDIAL_CONTRACT_FROM(adapter, LimitsContract, __VA_ARGS__);                \
    SUNDIAL_CONTRACT_FROM(adapter, OperationRepositoryContract, __VA_ARGS__);   \
    SUNDIAL_CONTRACT_FROM(adapter, OutboxProgressContract, __VA_ARGS__);        \
    SUNDIAL_CONTRACT_FROM(adapter, PlannedCountContract, __VA_ARGS__);          \
    SUNDIAL_CONTRACT_FROM(adapter, PullQueueContract, __VA_ARGS__);             \
    SUNDIAL_CONTRACT_FROM(adapter, RaceContract, __VA_ARGS__);                  \
    SUNDIAL_CONTRACT_FROM(adapter, ScheduleRepositoryContract, __VA_ARGS__);    \
    SUNDIAL_CONTRACT_FROM(adapter, SettleContract, __VA_ARGS__);                \
    SUNDIAL_CONTRACT_FROM(adapter, SkipRepositoryContract, __VA_ARGS__);        \
    SUNDIAL_CONTRACT_FROM(adapter, SessionRepositoryContract, __VA_ARGS__);     \
    SUNDIAL_CONTRACT_FROM(adapter, StatsRepositoryContract, __VA_ARGS__);       \
    SUNDIAL_CONTRACT_FROM(adapter, StepsContract, __VA_ARGS__);                 \
    SUNDIAL_CONTRACT_FROM(adapter, StoreContract, __VA_ARGS__);                 \
    SUNDIAL_CONTRACT_FROM(adapter, TzRepositoryContract, __VA_ARGS__);          \
    SUNDIAL_CONTRACT_FROM(adapter, UserRepositoryContract, __VA_ARGS__);        \
    INSTANTIATE_TEST_SUITE_P(adapter, ModelContract, testing::ValuesIn(model_runs(__VA_ARGS__)))

/// One suite, on an adapter that has what it is about (HeartbeatContract, ClaimedNextContract):
/// `SUNDIAL_CONTRACT(Memory, HeartbeatContract, StorageKind{…});`
#define SUNDIAL_CONTRACT(adapter, suite, ...) \
    SUNDIAL_CONTRACT_FROM(adapter, suite, std::vector<StorageKind>{__VA_ARGS__})
#define SUNDIAL_CONTRACT_FROM(adapter, suite, ...) \
    INSTANTIATE_TEST_SUITE_P(adapter, suite,       \
                             testing::ValuesIn(storages_of<suite::ParamType>(__VA_ARGS__)))
