#include "adapters/webhook/webhook_delivery.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "adapters/webhook/request_body.hpp"
#include "adapters/webhook/request_headers.hpp"
#include "adapters/webhook/transfer.hpp"
#include "application/ports/failures.hpp"

namespace sundial::webhook {
namespace {

constexpr int longest_poll_ms = 1'000;
constexpr long kept_connections = 256;

Outcome unsent(std::string why) {
    Outcome outcome;
    outcome.error = DeliveryErrorCode::worker;
    outcome.error_text = std::move(why);
    return outcome;
}

/// Throws Corrupt.
std::vector<OpenKey> opened(const std::vector<SigningKey>& keys, Secrets& secrets) {
    std::vector<OpenKey> open;
    for (const SigningKey& key : keys) open.push_back({key.scheme, secrets.open(key.sealed)});
    return open;
}

}  // namespace

/// The thread that owns libcurl's multi handle; others only queue and wake it.
class WebhookDelivery::Sender {
public:
    Sender(WebhookSettings settings, const AddressRules& addresses, Secrets& secrets)
        : settings_(std::move(settings)),
          addresses_(addresses),
          secrets_(secrets),
          multi_(curl_multi_init()) {
        curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kept_connections);
        thread_ = std::thread([this] { run(); });
    }

    ~Sender() {
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        curl_multi_wakeup(multi_);
        thread_.join();
        curl_multi_cleanup(multi_);
    }
    Sender(const Sender&) = delete;
    Sender& operator=(const Sender&) = delete;

    void queue(DeliveryRequest request, std::function<void(Outcome)> done) {
        std::vector<OpenKey> keys;
        try {
            keys = opened(signing_at(request.endpoint.value().signing_keys, request.now), secrets_);
        } catch (const Corrupt& error) {
            done(unsent(error.what()));
            return;
        }
        std::string body = request_body(request.event, request.endpoint->format);
        auto headers = request_headers(request, body, keys, settings_.user_agent);
        auto transfer =
            std::make_unique<Transfer>(std::move(request), std::move(body), std::move(headers),
                                       settings_.ca_file, addresses_, std::move(done));
        {
            const std::lock_guard lock(mutex_);
            arrived_.push_back(std::move(transfer));
        }
        curl_multi_wakeup(multi_);
    }

    void abandon(const Event& event) {
        {
            const std::lock_guard lock(mutex_);
            abandoned_.emplace_back(event.id, event.attempt);
        }
        curl_multi_wakeup(multi_);
    }

private:
    using Try = std::pair<EventId, Attempt>;

    void run() {
        while (take_arrived()) {
            int running = 0;
            curl_multi_perform(multi_, &running);
            finish_done();
            curl_multi_poll(multi_, nullptr, 0, longest_poll_ms, nullptr);
        }
        for (auto& [handle, transfer] : under_way_) {
            curl_multi_remove_handle(multi_, handle);
            transfer->give_up(DeliveryErrorCode::connect, "given up: the process is stopping");
        }
        under_way_.clear();
    }

    /// False once it is time to stop.
    bool take_arrived() {
        std::vector<std::unique_ptr<Transfer>> arrived;
        std::vector<Try> abandoned;
        bool stopping = false;
        {
            const std::lock_guard lock(mutex_);
            arrived.swap(arrived_);
            abandoned.swap(abandoned_);
            stopping = stopping_;
        }
        for (auto& transfer : arrived) {
            CURL* const handle = transfer->handle();
            curl_multi_add_handle(multi_, handle);
            under_way_.emplace(handle, std::move(transfer));
        }
        for (const Try& one : abandoned) end(one);
        return !stopping;
    }

    /// Removed in the middle, a transfer takes its connection with it.
    void end(const Try& one) {
        const auto found = std::ranges::find_if(under_way_, [&](const auto& entry) {
            const Event& event = entry.second->event();
            return Try{event.id, event.attempt} == one;
        });
        if (found == under_way_.end()) return;
        curl_multi_remove_handle(multi_, found->first);
        found->second->give_up(DeliveryErrorCode::lease_lost, "given up: its lease was lost");
        under_way_.erase(found);
    }

    void finish_done() {
        int left = 0;
        while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
            if (message->msg != CURLMSG_DONE) continue;
            CURL* const handle = message->easy_handle;
            const CURLcode code = message->data.result;
            const auto found = under_way_.find(handle);
            curl_multi_remove_handle(multi_, handle);  // the message is gone with it
            found->second->finish(code);
            under_way_.erase(found);
        }
    }

    WebhookSettings settings_;
    const AddressRules& addresses_;
    Secrets& secrets_;
    CURLM* multi_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Transfer>> arrived_;
    std::vector<Try> abandoned_;
    bool stopping_ = false;
    std::unordered_map<CURL*, std::unique_ptr<Transfer>> under_way_;  // only the thread's
    std::thread thread_;
};

WebhookDelivery::WebhookDelivery(WebhookSettings settings, const AddressRules& addresses,
                                 Secrets& secrets)
    : sender_(std::make_unique<Sender>(std::move(settings), addresses, secrets)) {}

WebhookDelivery::~WebhookDelivery() = default;

void WebhookDelivery::start(DeliveryRequest request, std::function<void(Outcome)> done) {
    sender_->queue(std::move(request), std::move(done));
}

void WebhookDelivery::abandon(const Event& event) { sender_->abandon(event); }

}  // namespace sundial::webhook
