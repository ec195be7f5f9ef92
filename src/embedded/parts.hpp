#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

#include "application/locks/lock_guard.hpp"
#include "application/outcomes/outcome_signal.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/ids.hpp"
#include "application/pull/pull_events.hpp"
#include "application/pull/pull_watch.hpp"
#include "application/pull/settle_pulled.hpp"
#include "application/streams/streams_module.hpp"
#include "base/log.hpp"
#include "embedded/call_checks.hpp"
#include "sundial/embedding.hpp"
#include "sundial/finishing.hpp"
#include "sundial/recording.hpp"

namespace sundial::embedding {

struct TransactionPorts;  // embedded/transactions.hpp

struct Lock::Parts {
    LockGuard guard;
    OwnProcess process{};
};

/// The parts of the engine that a worker uses, and its identity.
struct PullWorker::Parts {
    const OwnProcess& process;
    PullEvents& pull;
    SettlePulled& settle;
    PullWatch& watch;
    const MonotonicClock& monotonic;
    std::string queue;
    std::string name;
};

/// The parts of an engine that its streams use.
struct Streams::Parts {
    const OwnProcess& process;
    const Callbacks& callbacks;
    Store& store;
    Feed& feed;
    FeedMeter& meter;
    Ids& ids;
    base::Log& log;
    StreamsModule& module;
    TransactionPorts& transactions;
    AppendToStream& append = module.append;
    KeepStream& keep = module.keep;
    ReadStreams& read = module.read;
    KeepCheckpoint& checkpoints = module.checkpoints;
    FeedWatch& watch = module.watch;
    /// Subscriptions that their own handlers have destroyed, and that still run.
    std::atomic<std::size_t> departing{0};
};

/// The parts of an engine that subscriptions to outcomes use.
struct Outcomes::Parts {
    std::shared_ptr<Streams::Parts> streams;
    OutcomeSignal& signal;
};

[[nodiscard]] RecordedEvent shown(const sundial::RecordedEvent& event);
[[nodiscard]] RecordedEvent shown(const sundial::FeedPage::Entry& entry);
[[nodiscard]] sundial::FeedFilter filter_of(const FeedFilter& filter);

}  // namespace sundial::embedding
