#include "adapters/sqs/sqs_delivery.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "adapters/sqs/batch.hpp"
#include "adapters/sqs/credential_cache.hpp"
#include "adapters/sqs/credential_client.hpp"

namespace sundial::sqs {
namespace {

using std::chrono::milliseconds;

constexpr long kept_connections = 64;
constexpr const char* no_permit = "abandoned: the heartbeat of this instance was not renewed";
constexpr const char* lost_lease = "abandoned: its lease was lost";
constexpr const char* process_stops = "abandoned: the process is stopping";

/// Endpoints with the same queue share its requests.
std::string key_of(const Queue& queue) {
    return queue.request_url + ' ' + queue.region + ' ' + queue.url;
}

/// The sender's knowledge of one queue.
struct QueueState {
    Queue queue{};
    std::deque<Entry> waiting{};
    std::size_t under_way = 0;  // requests
    std::size_t allowed = 1;    // requests at once
    std::size_t ceiling = 1;    // of `allowed`
    unsigned throttles = 0;     // in succession
    [[nodiscard]] bool is_idle() const {
        return waiting.empty() && under_way == 0 && throttles == 0;
    }
};

}  // namespace

/// The thread that owns libcurl's multi handle; others only queue and wake it.
class SqsDelivery::Sender {
public:
    Sender(SenderSettings settings, std::unique_ptr<const DestinationRules> rules,
           CredentialWorld world, const MonotonicClock& clock, const SendPermit& permit)
        : settings_(std::move(settings)),
          rules_(std::move(rules)),
          credential_world_(with_client(std::move(world))),
          clock_(clock),
          permit_(permit),
          multi_(curl_multi_init()),
          credentials_([this] { return find_credentials(credential_world_); },
                       [this] { curl_multi_wakeup(multi_.get()); }, clock) {
        curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, kept_connections);
        thread_ = std::thread([this] { run(); });
    }

    ~Sender() {
        stopping_ = true;
        curl_multi_wakeup(multi_.get());
        thread_.join();
    }
    Sender(const Sender&) = delete;
    Sender& operator=(const Sender&) = delete;

    [[nodiscard]] const DestinationRules& rules() const { return *rules_; }

    void queue(DeliveryRequest request, std::function<void(Outcome)> done) {
        const Queue queue = queue_of(*request.endpoint);
        if (const auto refused = rules_->refuse(queue.request_url)) {
            return done(not_accepted(Verdict::permanent, DeliveryErrorCode::destination_forbidden,
                                     refused->message));
        }
        const Event& event = request.event;
        // Events that SQL or a template made were not refused at their creation.
        auto refused = refuse_characters(event.payload);
        if (!refused) refused = refuse_characters(event.key.value);
        if (!refused) refused = refuse_characters(event.type);
        Message message = message_of(event, queue);
        if (!refused && message.bytes > max_message_bytes) refused = "is too long for SQS";
        if (refused) {
            return done(not_accepted(Verdict::permanent, DeliveryErrorCode::worker,
                                     "its message " + *refused));
        }
        Entry entry{.request = std::move(request),
                    .message = std::move(message),
                    .done = std::move(done),
                    .started = clock_.now()};
        bool is_first = false;
        {
            const std::lock_guard lock(mutex_);
            is_first = arrived_.empty();
            arrived_.emplace_back(queue, std::move(entry));
        }
        if (is_first) curl_multi_wakeup(multi_.get());  // otherwise it was already called
    }

    void abandon(const Event& event) {
        {
            const std::lock_guard lock(mutex_);
            abandoned_.emplace_back(event.id, event.attempt);
        }
        curl_multi_wakeup(multi_.get());
    }

private:
    using AttemptId = std::pair<EventId, Attempt>;
    using Which = std::function<bool(const Entry&)>;
    struct MultiFree {
        void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
    };

    CredentialWorld with_client(CredentialWorld world) {
        if (!world.read_file) world.read_file = &read_small_file;
        if (!world.send) {
            world.send = [this](const CredentialRequest& request) {
                return ask_credential_service(request, stopping_);
            };
        }
        return world;
    }

    void run() {
        while (!stopping_) {
            take_arrived();
            end_forbidden();
            end_overdue();
            for (auto& [key, state] : queues_) send_batches(key, state);
            int running = 0;
            curl_multi_perform(multi_.get(), &running);
            const bool any_finished = finish_done();
            std::erase_if(queues_, [](const auto& entry) { return entry.second.is_idle(); });
            if (any_finished) continue;  // entries may wait for the end of a request
            curl_multi_poll(multi_.get(), nullptr, 0, static_cast<int>(until_next_check().count()),
                            nullptr);
        }
        stop();
    }

    void stop() {
        take_arrived();
        const auto ended =
            not_accepted(Verdict::retryable, DeliveryErrorCode::connect, process_stops);
        for (auto& [handle, batch] : under_way_) {
            curl_multi_remove_handle(multi_.get(), handle);
            batch->report_all(ended);
        }
        under_way_.clear();
        for (auto& [key, state] : queues_) {
            for (Entry& entry : state.waiting) report(entry, ended, clock_.now());
        }
        queues_.clear();
    }

    void take_arrived() {
        std::vector<std::pair<Queue, Entry>> arrived;
        std::vector<AttemptId> abandoned;
        {
            const std::lock_guard lock(mutex_);
            arrived.swap(arrived_);
            abandoned.swap(abandoned_);
        }
        for (auto& [queue, entry] : arrived) {
            const auto [at, is_new] = queues_.try_emplace(key_of(queue));
            QueueState& state = at->second;
            if (is_new) {
                // One request at a time keeps the order of a FIFO queue's messages.
                state.ceiling = queue.fifo ? 1 : settings_.max_requests;
                state.allowed = state.ceiling;
                state.queue = std::move(queue);
            }
            state.waiting.push_back(std::move(entry));
        }
        for (const AttemptId& one : abandoned) {
            end_if(
                [&](const Entry& entry) {
                    return AttemptId{entry.request.event->id, entry.request.event->attempt} == one;
                },
                lost_lease);
        }
    }

    /// Ends the attempts of claims that other instances may have taken.
    void end_forbidden() {
        const Mono now = clock_.now();
        end_if([&](const Entry& entry) { return !permit_.allows(entry.request.claimed, now); },
               no_permit);
    }

    void end_overdue() {
        const Mono now = clock_.now();
        for (auto& [key, state] : queues_) {
            std::erase_if(state.waiting, [&](Entry& entry) {
                if (now < entry.deadline()) return false;
                report(entry,
                       not_accepted(Verdict::retryable, DeliveryErrorCode::timeout,
                                    "was not sent in time: earlier requests to the queue took too "
                                    "long, or AWS credentials were not available"),
                       now);
                return true;
            });
        }
    }

    /// Removing an unfinished batch also closes its connection.
    void end_if(const Which& which, const char* why) {
        for (auto& [key, state] : queues_) {
            std::erase_if(state.waiting, [&](Entry& entry) {
                if (!which(entry)) return false;
                report(entry, not_accepted(Verdict::retryable, DeliveryErrorCode::lease_lost, why),
                       clock_.now());
                return true;
            });
        }
        std::erase_if(under_way_, [&](auto& entry) {
            Batch& batch = *entry.second;
            if (std::ranges::none_of(batch.entries(), which)) return false;
            curl_multi_remove_handle(multi_.get(), entry.first);
            --queues_[batch.queue_key()].under_way;
            batch.give_up(which, why);
            return true;
        });
    }

    /// Whether the entries that wait are enough for a request, or have waited long enough.
    [[nodiscard]] bool is_ready(const QueueState& state) const {
        return !state.waiting.empty() && state.under_way < state.allowed &&
               (state.waiting.size() >= max_entries || state.waiting.front().alone ||
                clock_.now() - state.waiting.front().started >= settings_.gather);
    }

    void send_batches(const std::string& key, QueueState& state) {
        while (is_ready(state)) {
            const Entry& first = state.waiting.front();
            const Mono clock_error = clock_error_of(state.queue.host);
            const Instant now = first.request.now + (clock_.now() - first.started) + clock_error;
            const CredentialCache::Answer answer = credentials_.ask(now);
            if (std::holds_alternative<CredentialCache::Pending>(answer)) return;
            if (const auto* none = std::get_if<NoCredentials>(&answer)) {
                for (Entry& entry : state.waiting) {
                    report(
                        entry,
                        not_accepted(Verdict::retryable, DeliveryErrorCode::worker, none->reason),
                        clock_.now());
                }
                state.waiting.clear();
                return;
            }
            send(key, state,
                 {.keys = std::get<AwsKeys>(answer),
                  .clock_error = clock_error,
                  .throttles = state.throttles});
        }
    }

    void send(const std::string& key, QueueState& state, Batch::State known) {
        std::vector<Entry> entries;
        std::size_t bytes = 0;
        while (!state.waiting.empty() && entries.size() < max_entries) {
            Entry& next = state.waiting.front();
            const bool too_much = bytes + next.message.bytes > max_message_bytes;
            if (!entries.empty() && (too_much || next.alone)) break;
            bytes += next.message.bytes;
            const bool alone = next.alone;
            entries.push_back(std::move(next));
            state.waiting.pop_front();
            if (alone) break;
        }
        auto batch = std::make_unique<Batch>(key, state.queue, std::move(entries), std::move(known),
                                             Batch::World{settings_, *rules_, clock_});
        CURL* const handle = batch->handle();
        ++state.under_way;
        curl_multi_add_handle(multi_.get(), handle);
        under_way_.emplace(handle, std::move(batch));
    }

    /// Whether a request has ended.
    bool finish_done() {
        bool any = false;
        int left = 0;
        while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
            if (message->msg != CURLMSG_DONE) continue;
            any = true;
            CURL* const handle = message->easy_handle;
            const CURLcode code = message->data.result;
            const auto found = under_way_.find(handle);
            curl_multi_remove_handle(multi_.get(), handle);  // removing it also frees the message
            const std::unique_ptr<Batch> batch = std::move(found->second);
            under_way_.erase(found);
            learn(*batch, batch->finish(code));
        }
        return any;
    }

    void learn(const Batch& batch, BatchResult result) {
        QueueState& state = queues_[batch.queue_key()];
        --state.under_way;
        if (result.throttled) {
            ++state.throttles;
            state.allowed = std::max<std::size_t>(state.allowed / 2, 1);
        } else if (result.accepted) {
            state.throttles = 0;
            state.allowed = std::min(state.allowed + 1, state.ceiling);
        }
        if (result.expired_keys) credentials_.refuse(batch.keys());
        if (result.clock_error) clock_errors_[batch.host()] = *result.clock_error;
        // First in the queue and in their order, as a FIFO queue has to get them.
        for (; !result.refused_together.empty(); result.refused_together.pop_back()) {
            Entry& entry = result.refused_together.back();
            entry.alone = true;
            state.waiting.push_front(std::move(entry));
        }
    }

    [[nodiscard]] Mono clock_error_of(const std::string& host) const {
        const auto found = clock_errors_.find(host);
        return found == clock_errors_.end() ? Mono{0} : found->second;
    }

    [[nodiscard]] milliseconds until_next_check() const {
        const Mono now = clock_.now();
        Mono next = now + settings_.longest_poll;
        bool any = !under_way_.empty();
        for (const auto& [key, state] : queues_) {
            if (state.waiting.empty()) continue;
            any = true;
            const bool may_send = state.under_way < state.allowed;
            const Mono gathered = state.waiting.front().started + settings_.gather;
            // Past that, the entries wait for credentials, which wake this thread.
            if (may_send && now < gathered) next = std::min(next, gathered);
            for (const Entry& entry : state.waiting) next = std::min(next, entry.deadline());
        }
        const Mono until = permit_.until();
        if (any && now < until) next = std::min(next, until);
        return std::chrono::ceil<milliseconds>(std::max(next - now, Mono{0}));
    }

    SenderSettings settings_;
    std::unique_ptr<const DestinationRules> rules_;
    std::atomic<bool> stopping_{false};
    CredentialWorld credential_world_;
    const MonotonicClock& clock_;
    const SendPermit& permit_;
    std::unique_ptr<CURLM, MultiFree> multi_;
    std::mutex mutex_;
    std::vector<std::pair<Queue, Entry>> arrived_;
    std::vector<AttemptId> abandoned_;
    // Used by this thread only:
    std::map<std::string, QueueState> queues_;
    std::unordered_map<CURL*, std::unique_ptr<Batch>> under_way_;
    std::map<std::string, Mono> clock_errors_;  // by host
    CredentialCache credentials_;
    std::thread thread_;
};

SqsDelivery::SqsDelivery(SenderSettings settings, std::unique_ptr<const DestinationRules> rules,
                         CredentialWorld world, const MonotonicClock& clock,
                         const SendPermit& permit)
    : sender_(std::make_unique<Sender>(std::move(settings), std::move(rules), std::move(world),
                                       clock, permit)) {}

SqsDelivery::~SqsDelivery() = default;

void SqsDelivery::start(DeliveryRequest request, std::function<void(Outcome)> done) {
    sender_->queue(std::move(request), std::move(done));
}

void SqsDelivery::abandon(const Event& event) { sender_->abandon(event); }

const DestinationRules& SqsDelivery::rules() const { return sender_->rules(); }

}  // namespace sundial::sqs
