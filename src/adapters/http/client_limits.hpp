#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

/// Bounds on one client, key or network: requests a second, unread answers, connections. They are
/// in RAM, so each instance counts for itself. Times come from a monotonic clock.
namespace sundial::http {

using Mono = std::chrono::microseconds;

/// A token bucket per name. It holds the tokens of one second, and a burst may use them all at
/// once. Thread-safe.
class TokenBuckets {
public:
    explicit TokenBuckets(std::uint32_t per_second) : per_second_(per_second) {}

    struct Take {
        bool taken;
        std::uint32_t left;  // whole tokens that remain
    };
    [[nodiscard]] Take take(const std::string& name, Mono now);

private:
    struct Bucket {
        double tokens;
        Mono filled_at;
    };

    const std::uint32_t per_second_;
    std::mutex mutex_;
    std::unordered_map<std::string, Bucket> buckets_;
};

/// At most `max_failures` failures per name in any minute. Thread-safe.
class FailureLimit {
public:
    explicit FailureLimit(std::size_t max_failures) : max_failures_(max_failures) {}

    /// Counts a failure. Returns zero if it is within the limit, else the wait until the next is
    /// allowed.
    [[nodiscard]] std::chrono::seconds count(const std::string& name, Mono now);

private:
    const std::size_t max_failures_;
    std::mutex mutex_;
    std::unordered_map<std::string, std::deque<Mono>> failures_;  // in the last minute
};

/// Bounds the memory of answers that clients have not read yet. All share one budget; a network
/// (see network_of) gets at most a quarter. A network without unread answers may have one of any
/// size while all take at most twice the budget. Thread-safe.
class AnswerBudget {
public:
    explicit AnswerBudget(std::size_t bytes)
        : max_(bytes), max_of_network_(bytes / 4), max_with_first_answers_(2 * bytes) {}
    AnswerBudget(const AnswerBudget&) = delete;
    AnswerBudget& operator=(const AnswerBudget&) = delete;

    /// The bytes of one answer, from construction to destruction.
    class Share {
    public:
        Share(Share&& other) noexcept;
        Share& operator=(Share&&) = delete;
        ~Share();

    private:
        friend class AnswerBudget;
        Share(AnswerBudget& budget, std::string network, std::size_t bytes)
            : budget_(&budget), network_(std::move(network)), bytes_(bytes) {}

        AnswerBudget* budget_;
        std::string network_;
        std::size_t bytes_;
    };

    /// Empty if the answer exceeds a bound.
    [[nodiscard]] std::optional<Share> reserve(const std::string& network, std::size_t bytes);
    /// Takes the bytes even if they exceed a bound, because the request has already had an effect.
    [[nodiscard]] Share take(const std::string& network, std::size_t bytes);
    /// Whether a bound is reached already, so that no request with an effect should begin.
    [[nodiscard]] bool spent(const std::string& network) const;

private:
    [[nodiscard]] std::size_t of(const std::string& network) const;
    void release(const std::string& network, std::size_t bytes);

    const std::size_t max_, max_of_network_, max_with_first_answers_;
    mutable std::mutex mutex_;
    std::size_t taken_ = 0;
    std::unordered_map<std::string, std::size_t> of_network_;
};

class Connection;

/// The open connections, within a bound for all and one for each network. When a bound is reached,
/// a new connection takes the slot of the connection that has waited longest for its client and has
/// shown no key (ADR 0031). Thread-safe.
class ConnectionTable {
public:
    /// The place of one connection; the destructor frees it. A new connection waits for its client
    /// and has shown no key.
    class Slot {
    public:
        Slot(Slot&& other) noexcept;
        Slot& operator=(Slot&&) = delete;
        ~Slot();

        /// A request has begun to arrive: the connection moves to the end of the line.
        void arriving();
        /// A request has arrived completely. False if another connection has taken the slot; then
        /// the caller must not carry out the request.
        [[nodiscard]] bool answering();
        /// The connection waits for its client again. It keeps its slot if it has shown a key. A
        /// second call before the next request changes nothing.
        void waiting(bool has_shown_key);

    private:
        friend class ConnectionTable;
        Slot(ConnectionTable& table, std::uint64_t number) : table_(&table), number_(number) {}

        ConnectionTable* table_;
        std::uint64_t number_;
    };

    explicit ConnectionTable(std::size_t max_connections) : max_connections_(max_connections) {}

    struct Admission {
        std::optional<Slot> slot{};  // empty: a bound is reached, and no connection gives way
        std::shared_ptr<Connection> evicted{};  // lost its slot; the caller closes it
    };
    /// The bounds are that of all and `max_of_network`.
    [[nodiscard]] Admission admit(const std::string& network, std::size_t max_of_network);
    void name(const Slot& slot, std::weak_ptr<Connection> connection);
    /// Takes the slot of the longest waiting connection, for when the process has no file
    /// descriptor left. The caller closes it. Null if no connection gives way.
    [[nodiscard]] std::shared_ptr<Connection> evict();

    [[nodiscard]] std::vector<std::shared_ptr<Connection>> all() const;
    /// Number of slots taken.
    [[nodiscard]] std::size_t size() const;

private:
    /// Numbers of the connections that may have to give way, the longest waiting first.
    using Line = std::map<std::uint64_t, std::uint64_t>;
    struct Network {
        std::size_t slots = 0;
        Line line{};
    };
    struct Entry {
        std::string network;
        std::weak_ptr<Connection> connection{};
        std::optional<std::uint64_t> turn{};  // its key in both lines
        bool evicted = false;                 // another connection has its slot
    };
    void join_line(std::uint64_t number, Entry& entry);
    void leave_line(Entry& entry);
    void release_slot(const std::string& network);
    [[nodiscard]] std::shared_ptr<Connection> evict_first_of(const Line& line);
    void leave(std::uint64_t number);

    const std::size_t max_connections_;
    mutable std::mutex mutex_;
    std::uint64_t last_number_ = 0;
    std::uint64_t last_turn_ = 0;
    std::size_t slots_taken_ = 0;
    std::unordered_map<std::uint64_t, Entry> entries_;  // including connections that are closing
    std::unordered_map<std::string, Network> networks_;
    Line line_;
};

}  // namespace sundial::http
