#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "application/observation/observer.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/event_store.hpp"
#include "application/ports/store.hpp"
#include "application/requests/queries.hpp"
#include "application/stats/read_stats.hpp"
#include "application/streams/streams_module.hpp"
#include "base/log.hpp"
#include "domain/api_key.hpp"

namespace sundial::http {

enum class LiveTopic : std::uint8_t {
    stats,
    users,
    schedules,
    endpoints,
    keys,
    events,
    instances,
    operations
};
inline constexpr std::size_t live_topics = 8;
[[nodiscard]] std::string_view to_string(LiveTopic topic);
[[nodiscard]] std::optional<LiveTopic> parse_live_topic(std::string_view text);

inline constexpr std::size_t max_live_clients = 1'000;  // of an instance

/// The subscription of one client of /v1/live.
struct LiveRequest {
    std::set<LiveTopic> topics;
    Role role = Role::read;
    std::optional<std::uint64_t> position{};  // of the last change that it has seen
    // Of `events`; empty: any.
    std::vector<std::string> event_types{};
    std::optional<EndpointId> endpoint{};
    std::vector<EventStatus> statuses{};
};

/// Sends changes to all clients of /v1/live. One thread reads the feed, the counters and the lists
/// once for all clients, only while there are any, and builds each message once. Changes made here
/// reach clients within 100 ms, those of other instances within a tick more. Thread-safe.
class LiveHub final : public EngineObserver, public std::enable_shared_from_this<LiveHub> {
public:
    /// Messages kept for clients. A client that is further behind reads too slowly: its stream
    /// ends, and it continues with Last-Event-ID.
    static constexpr std::size_t max_kept = 2'000;
    /// Clients that missed more changes than this must read the resource again.
    static constexpr std::uint64_t max_behind = 10'000;
    /// Changes of events in one hint.
    static constexpr std::size_t max_hinted = 100;

    struct Ports {
        StreamsModule& streams;
        FeedMeter& meter;
        ReadStats& stats;
        Queries& queries;
        Store& store;
        const MonotonicClock& monotonic;
        base::Log& log;
    };
    /// Held by a shared pointer: a connection may end after the ports.
    explicit LiveHub(const Ports& ports) : ports_(ports) {}

    /// Sends until stop(). Never throws.
    void run();
    /// Ends all streams.
    void stop();
    /// Sends the messages that are due. Returns when to call it again; empty while there are no
    /// clients. Only for a caller that drives the hub alone.
    std::optional<Mono> turn();

    void settled(const AttemptSettled& attempt_settled) override;

    /// One client, from join() to destruction.
    class Client;
    /// Empty if there are too many. Throws Unavailable.
    [[nodiscard]] std::shared_ptr<Client> join(LiveRequest request);
    [[nodiscard]] std::size_t clients() const;
    /// The messages that the client has not seen yet, as server-sent events; no text: nothing new.
    /// Empty: the stream must end.
    [[nodiscard]] std::optional<std::string> next(Client& client);
    /// `wake` is called once something is new, perhaps before this returns.
    [[nodiscard]] std::shared_ptr<void> wait(const std::shared_ptr<Client>& client,
                                             std::function<void()> wake);

private:
    struct Hint {
        EventId event;
        std::string type;
        std::optional<EndpointId> endpoint;
        EventStatus status;
    };
    struct Message {
        std::uint64_t number;
        LiveTopic topic;
        std::optional<std::uint64_t> position{};  // in the feed
        std::string text{};                       // as a server-sent event; of `events`: none
        std::vector<Hint> hints{};
        bool more_hints = false;
    };

    [[nodiscard]] static Message change_of(const RecordedEvent& event);
    [[nodiscard]] static std::string hints_for(const Message& message, const LiveRequest& asked);
    [[nodiscard]] bool wanted(LiveTopic topic) const;  // by any client
    void push(Message message);
    void push_changes();
    void push_second();
    void push_if_other(LiveTopic topic, std::string_view name, std::string data);
    void wake_all();
    [[nodiscard]] std::uint64_t end_of_feed();
    [[nodiscard]] std::string catch_up(Client& client);
    void leave(const LiveRequest& request);

    const Ports ports_;
    mutable std::mutex mutex_;  // all below
    std::condition_variable changed_;
    bool stopping_ = false;
    bool news_ = false;  // the feed may have grown
    std::array<std::size_t, live_topics> wanted_{};
    std::size_t clients_ = 0;
    std::deque<std::shared_ptr<const Message>> kept_;
    std::uint64_t last_number_ = 0;
    std::uint64_t position_ = 0;  // the feed was read up to here
    std::map<std::uint64_t, std::function<void()>> waiting_;
    std::uint64_t last_wait_ = 0;
    std::vector<Hint> hints_;  // since the last second
    bool more_hints_ = false;
    Mono next_second_{};
    Mono next_read_{};  // at the feed
    Mono next_push_{};
    std::map<LiveTopic, std::string> shown_;  // the latest data of lists
    std::shared_ptr<void> feed_wait_;
};

class LiveHub::Client {
public:
    Client(std::shared_ptr<LiveHub> hub, LiveRequest request)
        : hub_(std::move(hub)), request_(std::move(request)) {}
    ~Client() { hub_->leave(request_); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

private:
    friend class LiveHub;
    const std::shared_ptr<LiveHub> hub_;
    const LiveRequest request_;
    std::uint64_t number_ = 0;    // of the last message that it has passed
    std::uint64_t position_ = 0;  // of the last change that it has passed
    bool catching_up_ = false;    // reads the feed itself, up to the kept messages
    bool greeted_ = false;
    bool reset_ = false;  // its position is too old
};

}  // namespace sundial::http
