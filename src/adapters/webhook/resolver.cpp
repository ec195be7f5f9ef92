#include "adapters/webhook/resolver.hpp"

#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

namespace sundial::webhook {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::microseconds found_lasts = 30s;
constexpr std::chrono::microseconds failure_lasts = 1s;
constexpr std::size_t max_threads = 64;
constexpr std::size_t swept_from = 256;  // number of names from which expired entries are removed

}  // namespace

/// Outlives the resolver while a lookup runs.
struct Resolver::Shared : std::enable_shared_from_this<Shared> {
    struct Known {
        Resolution resolution;
        std::chrono::microseconds until;
    };

    Shared(const MonotonicClock& its_clock, std::function<void()> its_wake, Lookup its_lookup)
        : clock(&its_clock), wake(std::move(its_wake)), lookup(std::move(its_lookup)) {}

    std::optional<Resolution> ask(const std::string& host) {
        const std::lock_guard lock(mutex);
        const auto now = clock->now();
        if (const auto found = known.find(host); found != known.end()) {
            if (now < found->second.until) return found->second.resolution;
            known.erase(found);
        }
        if (std::ranges::find(asked, host) != asked.end()) return std::nullopt;
        if (known.size() >= swept_from) {
            std::erase_if(known, [now](const auto& one) { return one.second.until <= now; });
        }
        asked.push_back(host);
        waiting.push_back({host, now});
        if (threads < max_threads && !begin_thread() && threads == 0) {
            asked.pop_back();
            waiting.pop_back();
            return Resolution{.addresses = {}, .failure = "no thread is free to resolve its name"};
        }
        return std::nullopt;
    }

    /// False if the system cannot create another thread.
    bool begin_thread() {
        try {
            std::thread([self = shared_from_this()] { self->work(); }).detach();
        } catch (const std::system_error&) {
            return false;
        }
        ++threads;  // the new thread waits for the lock that we hold
        return true;
    }

    /// One thread; it runs while there are names to resolve.
    void work() {
        std::unique_lock lock(mutex);
        while (clock != nullptr && !waiting.empty()) {
            const auto [host, asked_at] = std::move(waiting.front());
            waiting.pop_front();
            lock.unlock();
            Resolution resolution = lookup(host);
            lock.lock();
            std::erase(asked, host);
            if (clock == nullptr) break;
            // Counted from the start of the lookup, because the result may have been outdated since
            // then.
            const auto until = resolution.addresses.empty() ? clock->now() + failure_lasts
                                                            : asked_at + found_lasts;
            known.insert_or_assign(host, Known{std::move(resolution), until});
            wake();
        }
        --threads;
    }

    struct Question {
        std::string host;
        std::chrono::microseconds asked_at;
    };

    std::mutex mutex;
    const MonotonicClock* clock;  // null after the resolver is destroyed
    std::function<void()> wake;
    const Lookup lookup;
    std::unordered_map<std::string, Known> known;
    std::vector<std::string> asked;  // waiting or running
    std::deque<Question> waiting;
    std::size_t threads = 0;
};

Resolution Resolver::ask_system(const std::string& host) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;  // IPv4 and IPv6, regardless of this machine's own addresses
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* all = nullptr;
    if (const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &all); error != 0)
        return {{}, ::gai_strerror(error)};
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(all, &::freeaddrinfo);
    Resolution found;
    for (const addrinfo* one = all; one != nullptr; one = one->ai_next) {
        const auto address = address_of(*one->ai_addr);
        if (address && std::ranges::find(found.addresses, *address) == found.addresses.end())
            found.addresses.push_back(*address);
    }
    if (found.addresses.empty()) found.failure = "its name has no address";
    return found;
}

Resolver::Resolver(const MonotonicClock& clock, std::function<void()> wake, Lookup lookup)
    : shared_(std::make_shared<Shared>(clock, std::move(wake), std::move(lookup))) {}

Resolver::~Resolver() {
    const std::lock_guard lock(shared_->mutex);
    shared_->clock = nullptr;
}

std::optional<Resolution> Resolver::ask(const std::string& host) { return shared_->ask(host); }

}  // namespace sundial::webhook
