#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace sundial::http {

class Connection;

/// The open connections, bounded in total and per address. Thread-safe.
class ConnectionTable {
public:
    /// A connection's place; its destructor frees the place.
    class Seat {
    public:
        Seat(Seat&& other) noexcept;
        Seat& operator=(Seat&&) = delete;
        ~Seat();

    private:
        friend class ConnectionTable;
        Seat(ConnectionTable& table, std::uint64_t number) : table_(&table), number_(number) {}

        ConnectionTable* table_;
        std::uint64_t number_;
    };

    explicit ConnectionTable(std::size_t most) : most_(most) {}

    /// Empty if a bound is reached: the total, or `most_of_address`.
    [[nodiscard]] std::optional<Seat> admit(const std::string& address,
                                            std::size_t most_of_address);
    void name(const Seat& seat, std::weak_ptr<Connection> connection);

    [[nodiscard]] std::vector<std::shared_ptr<Connection>> all() const;
    [[nodiscard]] std::size_t size() const;

private:
    struct Entry {
        std::string address;
        std::weak_ptr<Connection> connection;
    };
    void leave(std::uint64_t number);

    const std::size_t most_;
    mutable std::mutex mutex_;
    std::uint64_t last_number_ = 0;
    std::unordered_map<std::uint64_t, Entry> entries_;
    std::unordered_map<std::string, std::size_t> per_address_;
};

}  // namespace sundial::http
