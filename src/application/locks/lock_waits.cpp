#include "application/locks/lock_waits.hpp"

#include <utility>
#include <vector>

namespace sundial {

/// One wait; its destructor removes it.
struct LockWaits::Entry {
    Entry(LockWaits& its_waits, std::string its_name, Number its_number)
        : waits{its_waits}, name{std::move(its_name)}, number{its_number} {}
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() { waits.remove(name, number); }

    LockWaits& waits;
    const std::string name;
    const Number number;
};

std::shared_ptr<void> LockWaits::wait(const std::string& name, Wake wake) {
    std::unique_lock lock{mutex_};
    const Number number = ++last_number_;
    auto entry = std::make_shared<Entry>(*this, name, number);
    if (stopping_) {
        lock.unlock();
        wake();
        return entry;
    }
    waiting_[name].emplace(number, std::move(wake));
    changed_.notify_all();
    return entry;
}

void LockWaits::remove(const std::string& name, Number number) {
    const std::lock_guard lock{mutex_};
    const auto found = waiting_.find(name);
    if (found == waiting_.end()) return;
    found->second.erase(number);
    if (found->second.empty()) waiting_.erase(found);
}

LockWaits::Wake LockWaits::take_first(const std::string& name) {
    const auto found = waiting_.find(name);
    if (found == waiting_.end()) return {};
    Wake first = std::move(found->second.begin()->second);
    found->second.erase(found->second.begin());
    if (found->second.empty()) waiting_.erase(found);
    return first;
}

void LockWaits::released(const std::string& name) {
    Wake first;
    {
        const std::lock_guard lock{mutex_};
        first = take_first(name);
    }
    if (first) first();
}

void LockWaits::run() {
    std::unique_lock lock{mutex_};
    while (!stopping_) {
        changed_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
        if (changed_.wait_for(lock, poll_interval_, [&] { return stopping_; })) return;
        std::vector<std::string> names;
        for (const auto& [name, waiting] : waiting_) names.push_back(name);
        std::vector<Wake> first_ones;
        for (const std::string& name : names) first_ones.push_back(take_first(name));
        lock.unlock();
        for (const Wake& wake : first_ones) wake();
        lock.lock();
    }
}

void LockWaits::stop() {
    std::map<std::string, std::map<Number, Wake>> all;
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
        all.swap(waiting_);
        changed_.notify_all();
    }
    for (const auto& [name, waiting] : all) {
        for (const auto& [number, wake] : waiting) wake();
    }
}

bool LockWaits::stopped() const {
    const std::lock_guard lock{mutex_};
    return stopping_;
}

}  // namespace sundial
