#include "adapters/http/connection_table.hpp"

#include <utility>

namespace sundial::http {

ConnectionTable::Seat::Seat(Seat&& other) noexcept
    : table_(std::exchange(other.table_, nullptr)), number_(other.number_) {}

ConnectionTable::Seat::~Seat() {
    if (table_ != nullptr) table_->leave(number_);
}

std::optional<ConnectionTable::Seat> ConnectionTable::admit(const std::string& address,
                                                            std::size_t most_of_address) {
    const std::lock_guard lock(mutex_);
    if (entries_.size() >= most_) return std::nullopt;
    std::size_t& of_address = per_address_[address];
    if (of_address >= most_of_address) return std::nullopt;
    ++of_address;
    entries_.emplace(++last_number_, Entry{address, {}});
    return Seat(*this, last_number_);
}

void ConnectionTable::name(const Seat& seat, std::weak_ptr<Connection> connection) {
    const std::lock_guard lock(mutex_);
    entries_.at(seat.number_).connection = std::move(connection);
}

std::vector<std::shared_ptr<Connection>> ConnectionTable::all() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Connection>> connections;
    for (const auto& [number, entry] : entries_) {
        if (auto connection = entry.connection.lock()) connections.push_back(std::move(connection));
    }
    return connections;
}

std::size_t ConnectionTable::size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
}

void ConnectionTable::leave(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    const auto entry = entries_.find(number);
    const auto of_address = per_address_.find(entry->second.address);
    if (--of_address->second == 0) per_address_.erase(of_address);
    entries_.erase(entry);
}

}  // namespace sundial::http
