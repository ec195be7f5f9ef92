#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "application/events/events_module.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/secrets.hpp"
#include "application/pull/settle_pulled.hpp"
#include "application/streams/append_to_stream.hpp"
#include "application/streams/feed_watch.hpp"
#include "application/transactions/after_commit.hpp"
#include "application/users/users_module.hpp"
#include "embedded/answers.hpp"
#include "embedded/call_checks.hpp"
#include "embedded/storage.hpp"
#include "sundial/recording.hpp"
#include "sundial/transacting.hpp"

/// Transactions of the program: those that the engine begins, and those that the program passes on.
namespace sundial::embedding {

/// Projections in the transactions of appends. Complete before the first append.
struct InlineProjection {
    FeedFilter filter;
    std::function<Result<Done>(Transaction&, const RecordedEvent&)> project;
};

/// The parts of an engine that transactions use.
struct TransactionPorts {
    const OwnProcess& process;
    Storage& storage;
    EventQueue& queue;
    Ids& ids;
    Random& random;
    InstanceId instance;
    EventsModule& events;
    UsersModule& users;
    SettlePulled& settle;
    const AppendToStream& append;
    FeedWatch& watch;
    const Digest& digest;
    std::vector<InlineProjection> projections{};
};

struct Transaction::Parts {
    /// A transaction that the engine began; `its` outlives this.
    Parts(TransactionPorts& its_ports, sundial::Transaction& its)
        : ports(its_ports), open(&its), self(*this) {}
    /// The program's, on its connection.
    Parts(TransactionPorts& its_ports, pg_conn* connection)
        : ports(its_ports), callers(connection), self(*this) {}
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;

    /// The result of `work` in the transaction, in public types.
    template <class Public, class Work>
    Result<Public> call(Work work) {
        if (ended) return *ended;
        if (ports.process.forked()) return ports.process.error();
        auto answer = answered<Public>([&] { return open ? in_open(work) : joined(work); });
        if (!answer) note(answer.error());
        return answer;
    }
    /// A call failed.
    void note(const Error& error) {
        if (!first_error) first_error = error;
        if (failure) ended = error;
    }

    TransactionPorts& ports;
    sundial::Transaction* const open = nullptr;
    pg_conn* const callers = nullptr;
    std::exception_ptr failure{};                  // after it, an open transaction cannot go on
    std::optional<Error> ended{};                  // the same, as an error
    std::optional<Error> first_error{};            // of a call
    std::vector<std::function<void()>> effects{};  // when the program has committed
    Transaction self;

private:
    template <class Work>
    using Answer = std::invoke_result_t<Work&, sundial::Transaction&>;

    template <class Work>
    Answer<Work> in_open(Work& work) {
        try {
            return work(*open);
        } catch (...) {
            failure = std::current_exception();
            throw;
        }
    }
    template <class Work>
    Answer<Work> joined(Work& work) {
        std::optional<Answer<Work>> answer;
        HeldEffects held;
        ports.storage.join(callers, [&](sundial::Transaction& tx) {
            answer.emplace(work(tx));
            if constexpr (detail::IsResult<Answer<Work>>::value) return answer->has_value();
            return true;
        });
        for (auto& effect : held.take()) effects.push_back(std::move(effect));
        return *std::move(answer);
    }
};

/// Runs `work` in one transaction of the engine. Its effects elsewhere, such as hints, follow the
/// commit.
[[nodiscard]] Result<Done> transact(TransactionPorts& ports,
                                    const std::function<Result<Done>(Transaction&)>& work);

}  // namespace sundial::embedding
