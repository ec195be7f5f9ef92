#include "adapters/http/client_limits.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace sundial::http {
namespace {

using namespace std::chrono_literals;

// Bound on names in memory. Beyond it, expired entries are removed first.
constexpr std::size_t max_names = 10'000;
constexpr Mono window = 60s;

/// Whole seconds, rounded up.
std::chrono::seconds whole(Mono duration) {
    return std::max(1s, std::chrono::ceil<std::chrono::seconds>(duration));
}

/// Makes room for one more entry: removes all expired ones, or a tenth of all if none has expired.
/// Removing a tenth at once keeps a client with ever new names from causing a full scan for each.
template <class Map, class Spent>
void make_room(Map& map, Spent spent) {
    if (map.size() < max_names) return;
    std::erase_if(map, [&](const auto& entry) { return spent(entry.second); });
    if (map.size() >= max_names) map.erase(map.begin(), std::next(map.begin(), max_names / 10));
}

}  // namespace

TokenBuckets::Take TokenBuckets::take(const std::string& name, Mono now) {
    const std::lock_guard lock(mutex_);
    auto found = buckets_.find(name);
    if (found == buckets_.end()) {
        make_room(buckets_, [&](const Bucket& bucket) { return now - bucket.filled_at >= 1s; });
        found = buckets_.emplace(name, Bucket{static_cast<double>(per_second_), now}).first;
    }
    Bucket& bucket = found->second;
    const double earned =
        std::chrono::duration<double>(now - bucket.filled_at).count() * per_second_;
    bucket.tokens = std::min(bucket.tokens + earned, static_cast<double>(per_second_));
    bucket.filled_at = now;
    const bool taken = bucket.tokens >= 1;
    if (taken) bucket.tokens -= 1;
    return {taken, static_cast<std::uint32_t>(std::floor(bucket.tokens))};
}

std::chrono::seconds FailureLimit::count(const std::string& name, Mono now) {
    const auto old = [&](Mono failure) { return now - failure >= window; };
    const std::lock_guard lock(mutex_);
    if (!failures_.contains(name)) {
        make_room(failures_, [&](const auto& failures) { return old(failures.back()); });
    }
    auto& failures = failures_[name];
    while (!failures.empty() && old(failures.front())) failures.pop_front();
    if (failures.size() >= max_failures_) return whole(window - (now - failures.front()));
    failures.push_back(now);
    return 0s;
}

AnswerBudget::Share::Share(Share&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)),
      network_(std::move(other.network_)),
      bytes_(other.bytes_) {}

AnswerBudget::Share::~Share() {
    if (budget_ != nullptr) budget_->release(network_, bytes_);
}

std::optional<AnswerBudget::Share> AnswerBudget::reserve(const std::string& network,
                                                         std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const std::size_t before = of(network);
    const bool fits = before + bytes <= max_of_network_ && taken_ + bytes <= max_;
    const bool may_exceed = before == 0 && taken_ + bytes <= max_with_first_answers_;
    if (!fits && !may_exceed && taken_ > 0) return std::nullopt;
    taken_ += bytes;
    of_network_[network] += bytes;
    return Share(*this, network, bytes);
}

AnswerBudget::Share AnswerBudget::take(const std::string& network, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    taken_ += bytes;
    of_network_[network] += bytes;
    return {*this, network, bytes};
}

bool AnswerBudget::spent(const std::string& network) const {
    const std::lock_guard lock(mutex_);
    const std::size_t own = of(network);
    if (own == 0) return taken_ >= max_with_first_answers_;
    return own >= max_of_network_ || taken_ >= max_;
}

std::size_t AnswerBudget::of(const std::string& network) const {
    const auto found = of_network_.find(network);
    return found == of_network_.end() ? 0 : found->second;
}

void AnswerBudget::release(const std::string& network, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    taken_ -= bytes;
    const auto found = of_network_.find(network);
    found->second -= bytes;
    if (found->second == 0) of_network_.erase(found);
}

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
