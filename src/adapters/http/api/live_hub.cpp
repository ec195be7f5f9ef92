#include "adapters/http/api/live_hub.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <exception>
#include <utility>

#include "adapters/http/api/codecs.hpp"
#include "base/json.hpp"
#include "domain/enum_names.hpp"
#include "domain/names.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
namespace {

using namespace std::chrono_literals;

constexpr EnumNames<live_topics> topic_names{"stats", "users",  "schedules", "endpoints",
                                             "keys",  "events", "instances", "operations"};

constexpr Mono each_second = 1s;
constexpr Mono coalesced = 100ms;  // the changes of this time are sent together
/// The watch of the feed wakes the hub after changes here, and within a tick after those of other
/// instances. This is in case that it failed.
constexpr Mono read_every = 5s;
constexpr std::size_t changes_of_a_read = 500;
/// Woken together; the pool of handlers has room for them (ServerSettings::handler_queue).
constexpr std::size_t woken_at_once = 128;
constexpr auto between_wakes = 2ms;
constexpr std::size_t listed_operations = 20;

/// Transactions under way that may still fill positions before the end of the feed.
constexpr std::uint64_t gaps = 1'000;
/// No stream has this type, so a read returns only where the feed ends.
const FeedFilter nothing{.aggregate_types = {""}, .event_types = {}};
const FeedFilter control_plane{.aggregate_types = {"User", "Schedule", "Endpoint", "ApiKey"},
                               .event_types = {}};

LiveTopic topic_of(std::string_view aggregate_type) {
    if (aggregate_type == "User") return LiveTopic::users;
    if (aggregate_type == "Schedule") return LiveTopic::schedules;
    return aggregate_type == "Endpoint" ? LiveTopic::endpoints : LiveTopic::keys;
}

std::string_view action_of(std::string_view event_type) {
    if (event_type.ends_with("Created")) return "created";
    return event_type.ends_with("Updated") ? "changed" : "deleted";
}

std::string sent(std::string_view event, std::string_view data,
                 std::optional<std::uint64_t> id = std::nullopt) {
    std::string text;
    if (id) text += "id: " + std::to_string(*id) + '\n';
    text.append("event: ").append(event).append("\ndata: ").append(data).append("\n\n");
    return text;
}

bool is_change(LiveTopic topic) {
    return topic == LiveTopic::users || topic == LiveTopic::schedules ||
           topic == LiveTopic::endpoints || topic == LiveTopic::keys;
}

bool asks_for_changes(const LiveRequest& request) {
    return std::ranges::any_of(request.topics, is_change);
}

/// Only ADMIN may list API keys.
bool may_see(const LiveRequest& request, LiveTopic topic) {
    return request.topics.contains(topic) &&
           (topic != LiveTopic::keys || request.role == Role::admin);
}

std::string operations_data(const Page<sundial::Operation>& page) {
    base::JsonWriter json;
    json.begin_object().key("operations").begin_array();
    for (const auto& operation : page.items) json.raw(operation_json(operation));
    return std::move(json.end_array().end_object()).text();
}

std::string instances_data(const std::vector<InstanceReport>& reports) {
    base::JsonWriter json;
    json.begin_object().key("instances").begin_array();
    for (const InstanceReport& report : reports) {
        json.begin_object().member("id", sundial::to_string(report.id));
        json.member("draining", report.draining || report.drain_requested_at.has_value());
        json.end_object();
    }
    return std::move(json.end_array().end_object()).text();
}

}  // namespace

std::string_view to_string(LiveTopic topic) { return name_in(topic_names, topic); }
std::optional<LiveTopic> parse_live_topic(std::string_view text) {
    return find_in<LiveTopic>(topic_names, text);
}

/// Id, version and the names of the given or changed members: a reader that needs more asks for it.
LiveHub::Message LiveHub::change_of(const RecordedEvent& event) {
    const LiveTopic topic = topic_of(event.stream.aggregate_type);
    base::JsonWriter json;
    json.begin_object().member("id", event.stream.aggregate_id);
    json.member("version", event.version.value).key("fields").begin_array();
    boost::system::error_code failure;
    const auto data = boost::json::parse(event.data, failure);
    if (!failure && data.is_object()) {
        for (const auto& member : data.get_object()) json.value(std::string_view{member.key()});
    }
    json.end_array().end_object();
    const std::string name =
        std::string{to_string(topic)} + '.' + std::string{action_of(event.event_type)};
    return {.number = 0,
            .topic = topic,
            .position = event.position,
            .text = sent(name, json.text(), event.position)};
}

std::string LiveHub::hints_for(const Message& message, const LiveRequest& asked) {
    base::JsonWriter json;
    bool any = false;
    json.begin_object().key("events").begin_array();
    for (const Hint& hint : message.hints) {
        const auto among = [](const auto& all, const auto& one) {
            return all.empty() || std::ranges::find(all, one) != all.end();
        };
        if (!among(asked.event_types, hint.type) || !among(asked.statuses, hint.status)) continue;
        if (asked.endpoint && asked.endpoint != hint.endpoint) continue;
        any = true;
        json.begin_object().member("id", sundial::to_string(hint.event));
        json.member("status", sundial::to_string(hint.status)).member("eventType", hint.type);
        json.end_object();
    }
    json.end_array().member("more", message.more_hints).end_object();
    if (!any && !message.more_hints) return {};
    return sent("events.changed", json.text());
}

void LiveHub::settled(const AttemptSettled& attempt_settled) {
    const Event& event = attempt_settled.event;
    const std::lock_guard lock(mutex_);
    if (wanted_[static_cast<std::size_t>(LiveTopic::events)] == 0) return;
    if (hints_.size() == max_hinted) {
        more_hints_ = true;
        return;
    }
    hints_.push_back({event.id, event.type, event.endpoint, attempt_settled.status});
}

std::shared_ptr<LiveHub::Client> LiveHub::join(LiveRequest request) {
    const std::uint64_t end = end_of_feed();
    const std::lock_guard lock(mutex_);
    if (clients_ == max_live_clients || stopping_) return nullptr;
    if (clients_ == 0) {  // nothing was followed meanwhile
        kept_.clear();
        position_ = std::max(end, position_);
        next_second_ = next_read_ = next_push_ = ports_.monotonic.now();
        changed_.notify_all();
    }
    ++clients_;
    for (const LiveTopic topic : request.topics) ++wanted_[static_cast<std::size_t>(topic)];
    auto client = std::make_shared<Client>(shared_from_this(), std::move(request));
    client->number_ = last_number_;
    client->position_ = position_;
    const auto& seen = client->request_.position;
    if (seen && asks_for_changes(client->request_)) {
        client->reset_ = *seen > position_ || position_ - *seen > max_behind;
        client->catching_up_ = !client->reset_ && *seen < position_;
        if (!client->reset_) client->position_ = *seen;
    }
    return client;
}

std::size_t LiveHub::clients() const {
    const std::lock_guard lock(mutex_);
    return clients_;
}

void LiveHub::leave(const LiveRequest& request) {
    const std::lock_guard lock(mutex_);
    --clients_;
    for (const LiveTopic topic : request.topics) --wanted_[static_cast<std::size_t>(topic)];
}

std::uint64_t LiveHub::end_of_feed() {
    const std::uint64_t newest = ports_.meter.measure(0).position;
    std::uint64_t end = newest > gaps ? newest - gaps : 0;
    for (bool more = true; more;) {
        const FeedPage page = ports_.streams.read.feed(end, nothing, 1).value();
        more = page.more && page.next_position > end;
        end = page.next_position;
    }
    return end;
}

std::string LiveHub::catch_up(Client& client) {
    std::string text;
    const FeedPage page =
        ports_.streams.read.feed(client.position_, control_plane, changes_of_a_read).value();
    for (const auto& [event, deleted] : page.entries) {
        const Message change = change_of(event);
        if (may_see(client.request_, change.topic)) text += change.text;
    }
    client.position_ = std::max(client.position_, page.next_position);
    client.catching_up_ = page.more;
    return text;
}

std::optional<std::string> LiveHub::next(Client& client) {
    std::string text;
    if (client.catching_up_) {
        text = catch_up(client);
        if (!text.empty()) client.greeted_ = true;
        if (client.catching_up_) return text.empty() ? ": reading\n\n" : text;
    }
    const std::lock_guard lock(mutex_);
    if (stopping_) return std::nullopt;
    if (!client.greeted_) {
        // From here the client can resume, even if nothing has changed before its stream ends.
        client.greeted_ = true;
        if (client.reset_) text += sent("reset", "{}", position_);
        if (!client.reset_ && asks_for_changes(client.request_)) {
            text += "id: " + std::to_string(client.position_) + "\n\n";
        }
        if (text.empty()) text = ": connected\n\n";
    }
    if (!kept_.empty() && client.number_ + 1 < kept_.front()->number) return std::nullopt;
    for (const auto& message : kept_) {
        if (message->number <= client.number_) continue;
        if (message->position && *message->position <= client.position_) continue;
        if (!may_see(client.request_, message->topic)) continue;
        text += message->topic == LiveTopic::events ? hints_for(*message, client.request_)
                                                    : message->text;
    }
    client.number_ = last_number_;
    client.position_ = std::max(client.position_, position_);
    return text;
}

std::shared_ptr<void> LiveHub::wait(const std::shared_ptr<Client>& client,
                                    std::function<void()> wake) {
    std::unique_lock lock(mutex_);
    if (stopping_ || client->number_ < last_number_) {
        lock.unlock();
        wake();
        return client;
    }
    const std::uint64_t number = ++last_wait_;
    waiting_.emplace(number, std::move(wake));
    lock.unlock();
    struct Wait {
        std::shared_ptr<Client> client;
        std::uint64_t number;
        Wait(std::shared_ptr<Client> of, std::uint64_t its_number)
            : client(std::move(of)), number(its_number) {}
        Wait(const Wait&) = delete;
        Wait& operator=(const Wait&) = delete;
        ~Wait() {
            const std::lock_guard held(client->hub_->mutex_);
            client->hub_->waiting_.erase(number);
        }
    };
    return std::make_shared<Wait>(client, number);
}

bool LiveHub::wanted(LiveTopic topic) const { return wanted_[static_cast<std::size_t>(topic)] > 0; }

void LiveHub::push(Message message) {
    const std::lock_guard lock(mutex_);
    message.number = ++last_number_;
    kept_.push_back(std::make_shared<const Message>(std::move(message)));
    if (kept_.size() > max_kept) kept_.pop_front();
}

void LiveHub::push_changes() {
    const std::uint64_t after = [&] {
        const std::lock_guard lock(mutex_);
        return position_;
    }();
    const FeedPage page = ports_.streams.read.feed(after, control_plane, changes_of_a_read).value();
    for (const auto& [event, deleted] : page.entries) push(change_of(event));
    const std::lock_guard lock(mutex_);
    position_ = std::max(position_, page.next_position);
    if (page.more) next_read_ = Mono{0};
}

void LiveHub::push_if_other(LiveTopic topic, std::string_view name, std::string data) {
    std::string& before = shown_[topic];
    if (before == data) return;
    const bool first = before.empty();
    before = std::move(data);
    if (!first) push({.number = 0, .topic = topic, .text = sent(name, before)});
}

void LiveHub::push_second() {
    Message hints{.number = 0, .topic = LiveTopic::events};
    bool stats = false, instances = false, operations = false;
    {
        const std::lock_guard lock(mutex_);
        hints.hints.swap(hints_);
        hints.more_hints = std::exchange(more_hints_, false);
        stats = wanted(LiveTopic::stats);
        instances = wanted(LiveTopic::instances);
        operations = wanted(LiveTopic::operations);
    }
    if (!hints.hints.empty()) push(std::move(hints));
    if (stats) {
        push({.number = 0,
              .topic = LiveTopic::stats,
              .text = sent("stats", stats_json(ports_.stats.overview(std::chrono::hours{1})))});
    }
    if (instances) {
        const auto reports =
            in_read(ports_.store, [](Transaction& tx) { return tx.instances().list(); });
        push_if_other(LiveTopic::instances, "instances.changed", instances_data(reports));
    }
    if (operations) {
        OperationQuery latest;
        latest.page = {.limit = listed_operations, .descending = true, .after = {}};
        push_if_other(LiveTopic::operations, "operations.changed",
                      operations_data(ports_.queries.operations(latest)));
    }
}

std::optional<Mono> LiveHub::turn() {
    bool read = false, second = false;
    const Mono now = ports_.monotonic.now();
    {
        const std::lock_guard lock(mutex_);
        if (clients_ == 0) return std::nullopt;
        if (news_ && now < next_push_) return next_push_;
        read = news_ || now >= next_read_;
        second = now >= next_second_;
        if (!read && !second) return std::min(next_read_, next_second_);
        news_ = false;
        next_push_ = now + coalesced;
        if (read) next_read_ = now + read_every;
        if (second) next_second_ = now + each_second;
    }
    const std::uint64_t before = [&] {
        const std::lock_guard lock(mutex_);
        return last_number_;
    }();
    try {
        if (read) push_changes();
        if (second) push_second();
    } catch (const std::exception& error) {
        base::LogLine line;
        line.level = base::LogLevel::warn;
        line.message = std::string("live updates could not be read; trying again: ") + error.what();
        ports_.log.write(std::move(line));
    }
    const std::uint64_t position = [&] {
        const std::lock_guard lock(mutex_);
        return position_;
    }();
    // Appends here wake this thread at once.
    feed_wait_ = ports_.streams.watch.wait(position, [this] {
        const std::lock_guard lock(mutex_);
        news_ = true;
        changed_.notify_all();
    });
    const bool pushed = [&] {
        const std::lock_guard lock(mutex_);
        return last_number_ != before;
    }();
    if (pushed) wake_all();
    const std::lock_guard lock(mutex_);
    return std::min(next_read_, next_second_);
}

void LiveHub::wake_all() {
    std::map<std::uint64_t, std::function<void()>> woken;
    {
        const std::lock_guard lock(mutex_);
        woken.swap(waiting_);
    }
    std::size_t count = 0;
    for (const auto& [number, wake] : woken) {
        wake();
        if (++count % woken_at_once != 0) continue;
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, between_wakes, [this] { return stopping_; });
    }
}

void LiveHub::run() {
    for (;;) {
        const auto next = turn();
        std::unique_lock lock(mutex_);
        if (stopping_) break;
        if (!next) {
            changed_.wait(lock, [this] { return stopping_ || clients_ > 0; });
            continue;
        }
        const Mono now = ports_.monotonic.now();
        const bool held_back = news_ && now < next_push_;
        const Mono until = held_back ? next_push_ : *next;
        if (until > now) {
            changed_.wait_for(lock, until - now,
                              [&] { return stopping_ || (news_ && !held_back); });
        }
    }
    feed_wait_.reset();
}

void LiveHub::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        changed_.notify_all();
    }
    wake_all();
}

}  // namespace sundial::http
