#include "adapters/http/connection_table.hpp"

#include <utility>

namespace sundial::http {

ConnectionTable::Slot::Slot(Slot&& other) noexcept
    : table_(std::exchange(other.table_, nullptr)), number_(other.number_) {}

ConnectionTable::Slot::~Slot() {
    if (table_ != nullptr) table_->leave(number_);
}

void ConnectionTable::Slot::arriving() {
    const std::lock_guard lock(table_->mutex_);
    Entry& entry = table_->entries_.at(number_);
    if (!entry.turn) return;
    table_->leave_line(entry);
    table_->join_line(number_, entry);
}

bool ConnectionTable::Slot::answering() {
    const std::lock_guard lock(table_->mutex_);
    Entry& entry = table_->entries_.at(number_);
    table_->leave_line(entry);
    return !entry.evicted;
}

void ConnectionTable::Slot::waiting(bool has_shown_key) {
    const std::lock_guard lock(table_->mutex_);
    Entry& entry = table_->entries_.at(number_);
    const bool gives_way = !has_shown_key && !entry.evicted;
    if (gives_way && !entry.turn) table_->join_line(number_, entry);
}

ConnectionTable::Admission ConnectionTable::admit(const std::string& network,
                                                  std::size_t max_of_network) {
    const std::lock_guard lock(mutex_);
    const auto own = networks_.find(network);
    const bool network_full = own != networks_.end() && own->second.slots >= max_of_network;
    Admission admission;
    if (network_full || slots_taken_ >= max_connections_) {
        const Line& line = network_full ? own->second.line : line_;
        if (line.empty()) return {};
        admission.evicted = evict_first_of(line);
    }
    const std::uint64_t number = ++last_number_;
    Entry& entry = entries_[number];
    entry.network = network;
    ++networks_[network].slots;
    ++slots_taken_;
    join_line(number, entry);
    admission.slot.emplace(Slot(*this, number));
    return admission;
}

void ConnectionTable::name(const Slot& slot, std::weak_ptr<Connection> connection) {
    const std::lock_guard lock(mutex_);
    entries_.at(slot.number_).connection = std::move(connection);
}

std::shared_ptr<Connection> ConnectionTable::evict() {
    const std::lock_guard lock(mutex_);
    return line_.empty() ? nullptr : evict_first_of(line_);
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
    return slots_taken_;
}

void ConnectionTable::join_line(std::uint64_t number, Entry& entry) {
    entry.turn = ++last_turn_;
    line_.emplace(*entry.turn, number);
    networks_[entry.network].line.emplace(*entry.turn, number);
}

void ConnectionTable::leave_line(Entry& entry) {
    if (!entry.turn) return;
    line_.erase(*entry.turn);
    networks_.at(entry.network).line.erase(*entry.turn);
    entry.turn.reset();
}

void ConnectionTable::release_slot(const std::string& network) {
    const auto of = networks_.find(network);
    if (--of->second.slots == 0) networks_.erase(of);
    --slots_taken_;
}

std::shared_ptr<Connection> ConnectionTable::evict_first_of(const Line& line) {
    Entry& entry = entries_.at(line.begin()->second);
    leave_line(entry);
    entry.evicted = true;
    release_slot(entry.network);
    return entry.connection.lock();
}

void ConnectionTable::leave(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(number);
    leave_line(found->second);
    if (!found->second.evicted) release_slot(found->second.network);
    entries_.erase(found);
}

}  // namespace sundial::http
