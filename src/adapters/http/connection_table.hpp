#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace sundial::http {

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
