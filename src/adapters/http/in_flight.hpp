#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace sundial::http {

/// Counts the requests in progress and can wait for the last one. Thread-safe.
class InFlight {
public:
    /// One request in progress, from construction to destruction.
    class Entry {
    public:
        explicit Entry(InFlight& all) : all_(all) { all_.add(1); }
        ~Entry() { all_.add(-1); }
        Entry(const Entry&) = delete;
        Entry& operator=(const Entry&) = delete;

    private:
        InFlight& all_;
    };

    [[nodiscard]] std::size_t count() const;
    /// False if requests remain after `at_most`.
    [[nodiscard]] bool wait_for_none(std::chrono::milliseconds at_most);

private:
    void add(int change);

    mutable std::mutex mutex_;
    std::condition_variable none_;
    int count_ = 0;
};

}  // namespace sundial::http
