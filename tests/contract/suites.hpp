#pragma once

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

/// Runs every suite of this folder on one adapter: `SUNDIAL_CONTRACTS(Memory, StorageKind{…});` in
/// namespace sundial, in a program that links sundial_contract.
#define SUNDIAL_CONTRACTS(adapter, ...)                                    \
    SUNDIAL_CONTRACT(adapter, AnswerOnceContract, __VA_ARGS__);            \
    SUNDIAL_CONTRACT(adapter, ApiKeyRaceContract, __VA_ARGS__);            \
    SUNDIAL_CONTRACT(adapter, ApiKeyRepositoryContract, __VA_ARGS__);      \
    SUNDIAL_CONTRACT(adapter, AttemptListContract, __VA_ARGS__);           \
    SUNDIAL_CONTRACT(adapter, CalendarRepositoryContract, __VA_ARGS__);    \
    SUNDIAL_CONTRACT(adapter, CheckpointContract, __VA_ARGS__);            \
    SUNDIAL_CONTRACT(adapter, ClockContract, __VA_ARGS__);                 \
    SUNDIAL_CONTRACT(adapter, EndpointRepositoryContract, __VA_ARGS__);    \
    SUNDIAL_CONTRACT(adapter, EventListContract, __VA_ARGS__);             \
    SUNDIAL_CONTRACT(adapter, EventQueueContract, __VA_ARGS__);            \
    SUNDIAL_CONTRACT(adapter, EventRepositoryContract, __VA_ARGS__);       \
    SUNDIAL_CONTRACT(adapter, EventStoreContract, __VA_ARGS__);            \
    SUNDIAL_CONTRACT(adapter, ExecutionListContract, __VA_ARGS__);         \
    SUNDIAL_CONTRACT(adapter, IdempotencyRepositoryContract, __VA_ARGS__); \
    SUNDIAL_CONTRACT(adapter, InboxRepositoryContract, __VA_ARGS__);       \
    SUNDIAL_CONTRACT(adapter, InstanceRepositoryContract, __VA_ARGS__);    \
    SUNDIAL_CONTRACT(adapter, LockGuardContract, __VA_ARGS__);             \
    SUNDIAL_CONTRACT(adapter, LockStoreContract, __VA_ARGS__);             \
    SUNDIAL_CONTRACT(adapter, LimitsContract, __VA_ARGS__);                \
    SUNDIAL_CONTRACT(adapter, OperationRepositoryContract, __VA_ARGS__);   \
    SUNDIAL_CONTRACT(adapter, OutboxProgressContract, __VA_ARGS__);        \
    SUNDIAL_CONTRACT(adapter, PullQueueContract, __VA_ARGS__);             \
    SUNDIAL_CONTRACT(adapter, RaceContract, __VA_ARGS__);                  \
    SUNDIAL_CONTRACT(adapter, ScheduleRepositoryContract, __VA_ARGS__);    \
    SUNDIAL_CONTRACT(adapter, SettleContract, __VA_ARGS__);                \
    SUNDIAL_CONTRACT(adapter, SkipRepositoryContract, __VA_ARGS__);        \
    SUNDIAL_CONTRACT(adapter, SessionRepositoryContract, __VA_ARGS__);     \
    SUNDIAL_CONTRACT(adapter, StatsRepositoryContract, __VA_ARGS__);       \
    SUNDIAL_CONTRACT(adapter, StepsContract, __VA_ARGS__);                 \
    SUNDIAL_CONTRACT(adapter, StoreContract, __VA_ARGS__);                 \
    SUNDIAL_CONTRACT(adapter, TzRepositoryContract, __VA_ARGS__);          \
    SUNDIAL_CONTRACT(adapter, UserRepositoryContract, __VA_ARGS__);        \
    INSTANTIATE_TEST_SUITE_P(adapter, ModelContract, testing::ValuesIn(model_runs({__VA_ARGS__})))

/// The suite of heartbeats, on an adapter that has them: `SUNDIAL_CONTRACT(Memory,
/// HeartbeatContract, StorageKind{…});`
#define SUNDIAL_CONTRACT(adapter, suite, ...) \
    INSTANTIATE_TEST_SUITE_P(adapter, suite, testing::Values(__VA_ARGS__))
