#include "adapters/webhook/webhook_delivery.hpp"

#include <curl/curl.h>
#include <openssl/pem.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "application/ports/failures.hpp"

namespace sundial::webhook {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr milliseconds longest_poll{1'000};
constexpr long kept_connections = 256;
constexpr const char* silent = "abandoned: the heartbeat of this instance was not renewed";

Outcome unsent(std::string why) {
    Outcome outcome;
    outcome.error = DeliveryErrorCode::worker;
    outcome.error_text = std::move(why);
    return outcome;
}

Outcome forbidden(std::string why) {
    Outcome outcome;
    outcome.verdict = Verdict::permanent;
    outcome.error = DeliveryErrorCode::destination_forbidden;
    outcome.error_text = std::move(why);
    return outcome;
}

/// The decrypted secrets that the endpoint needs at `now`. Throws Corrupt.
Credentials opened(const Endpoint& endpoint, Instant now, Secrets& secrets) {
    Credentials open;
    open.keys = open_keys(signing_at(endpoint.signing_keys, now), secrets);
    for (const EndpointHeader& header : endpoint.headers) {
        open.headers.emplace_back(header.name, secrets.open(header.sealed));
    }
    return open;
}

}  // namespace

void check_certificates(const std::string& file) {
    if (file.empty()) return;
    const std::unique_ptr<std::FILE, decltype(&std::fclose)> in(std::fopen(file.c_str(), "re"),
                                                                &std::fclose);
    const std::unique_ptr<X509, decltype(&X509_free)> first(
        in ? PEM_read_X509(in.get(), nullptr, nullptr, nullptr) : nullptr, &X509_free);
    if (!first)
        throw CannotStart("delivery.ca_file: there is no certificate (PEM) to read in " + file);
}

/// The thread that owns libcurl's multi handle; others only queue and wake it.
class WebhookDelivery::Sender {
public:
    Sender(TransferSettings settings, const UrlRules& rules, Secrets& secrets,
           const MonotonicClock& clock, Resolver::Lookup lookup, const SendPermit& permit)
        : settings_(std::move(settings)),
          rules_(rules),
          secrets_(secrets),
          clock_(clock),
          permit_(permit),
          multi_(curl_multi_init()),
          resolver_(clock, [this] { curl_multi_wakeup(multi_.get()); }, std::move(lookup)) {
        check_certificates(settings_.ca_file);
        curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, kept_connections);
        thread_ = std::thread([this] { run(); });
    }

    ~Sender() {
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        curl_multi_wakeup(multi_.get());
        thread_.join();
    }
    Sender(const Sender&) = delete;
    Sender& operator=(const Sender&) = delete;

    void queue(DeliveryRequest request, std::function<void(Outcome)> done) {
        const Endpoint& endpoint = *request.endpoint;
        auto judged = rules_.judge(endpoint.url);
        if (const auto* refused = std::get_if<FieldError>(&judged)) {
            done(forbidden(refused->message));
            return;
        }
        Credentials credentials;
        try {
            credentials = opened(endpoint, request.now, secrets_);
        } catch (const Corrupt& error) {
            done(unsent(error.what()));
            return;
        }
        auto transfer = std::make_unique<Transfer>(
            std::move(request), std::get<Target>(std::move(judged)), std::move(credentials),
            Transfer::World{settings_, rules_.addresses(), clock_}, std::move(done));
        bool is_first = false;
        {
            const std::lock_guard lock(mutex_);
            is_first = arrived_.empty();
            arrived_.push_back(std::move(transfer));
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
    struct MultiFree {
        void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
    };

    void run() {
        while (take_arrived()) {
            go_on_with_names();
            end_forbidden();
            int running = 0;
            curl_multi_perform(multi_.get(), &running);
            finish_done();
            curl_multi_poll(multi_.get(), nullptr, 0, static_cast<int>(until_next_check().count()),
                            nullptr);
        }
        const std::string why = "abandoned: the process is stopping";
        for (auto& [handle, transfer] : under_way_) {
            curl_multi_remove_handle(multi_.get(), handle);
            transfer->give_up(DeliveryErrorCode::connect, why);
        }
        for (auto& transfer : looked_up_) transfer->give_up(DeliveryErrorCode::connect, why);
        under_way_.clear();
        looked_up_.clear();
    }

    /// False when the thread must stop.
    bool take_arrived() {
        std::vector<std::unique_ptr<Transfer>> arrived;
        std::vector<AttemptId> abandoned;
        bool stopping = false;
        {
            const std::lock_guard lock(mutex_);
            arrived.swap(arrived_);
            abandoned.swap(abandoned_);
            stopping = stopping_;
        }
        for (auto& transfer : arrived) {
            if (!permit_.allows(transfer->claimed(), clock_.now())) {
                transfer->give_up(DeliveryErrorCode::lease_lost, silent);
            } else if (transfer->name() == nullptr) {
                send(std::move(transfer));
            } else {
                looked_up_.push_back(std::move(transfer));
            }
        }
        for (const AttemptId& one : abandoned) end(one);
        return !stopping;
    }

    /// Continues transfers whose names are resolved; ends those whose deadline has passed.
    void go_on_with_names() {
        const microseconds now = clock_.now();
        std::erase_if(looked_up_, [&](std::unique_ptr<Transfer>& transfer) {
            const auto found = resolver_.ask(*transfer->name());
            if (!found && now < transfer->name_due()) return false;
            if (!found) {
                transfer->give_up(DeliveryErrorCode::timeout, "its name was not resolved in time");
            } else if (found->addresses.empty()) {
                transfer->give_up(DeliveryErrorCode::dns, found->failure);
            } else if (!transfer->resolved_to(found->addresses)) {
                transfer->forbid("requests must not go to this address");
            } else {
                send(std::move(transfer));
            }
            return true;
        });
    }

    void send(std::unique_ptr<Transfer> transfer) {
        CURL* const handle = transfer->handle();
        transfer->begin();
        curl_multi_add_handle(multi_.get(), handle);
        under_way_.emplace(handle, std::move(transfer));
    }

    [[nodiscard]] milliseconds until_next_check() const {
        microseconds next = clock_.now() + longest_poll;
        for (const auto& transfer : looked_up_) next = std::min(next, transfer->name_due());
        // After the end of the heartbeat only tests of endpoints remain, which need no permit.
        const microseconds now = clock_.now(), until = permit_.until();
        if (now < until && (!looked_up_.empty() || !under_way_.empty())) {
            next = std::min(next, until);
        }
        return std::chrono::ceil<milliseconds>(std::max(next - now, microseconds(0)));
    }

    void end(const AttemptId& one) {
        end_if(
            [&](const Transfer& transfer) {
                return AttemptId{transfer.event().id, transfer.event().attempt} == one;
            },
            "abandoned: its lease was lost");
    }

    /// Ends the transfers of claims that other instances may have taken.
    void end_forbidden() {
        const microseconds now = clock_.now(), until = permit_.until(), since = permit_.since();
        if (now < until && since == permitted_since_) return;  // nearly always
        permitted_since_ = since;
        end_if([&](const Transfer& transfer) { return !permit_.allows(transfer.claimed(), now); },
               silent);
    }

    /// Removing an unfinished transfer also closes its connection.
    template <class Which>
    void end_if(Which which, const char* why) {
        std::erase_if(looked_up_, [&](std::unique_ptr<Transfer>& transfer) {
            if (!which(*transfer)) return false;
            transfer->give_up(DeliveryErrorCode::lease_lost, why);
            return true;
        });
        std::erase_if(under_way_, [&](auto& entry) {
            if (!which(*entry.second)) return false;
            curl_multi_remove_handle(multi_.get(), entry.first);
            entry.second->give_up(DeliveryErrorCode::lease_lost, why);
            return true;
        });
    }

    void finish_done() {
        int left = 0;
        while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
            if (message->msg != CURLMSG_DONE) continue;
            CURL* const handle = message->easy_handle;
            const CURLcode code = message->data.result;
            const auto found = under_way_.find(handle);
            curl_multi_remove_handle(multi_.get(), handle);  // removing it also frees the message
            found->second->finish(code);
            under_way_.erase(found);
        }
    }

    TransferSettings settings_;
    const UrlRules& rules_;
    Secrets& secrets_;
    const MonotonicClock& clock_;
    const SendPermit& permit_;
    std::unique_ptr<CURLM, MultiFree> multi_;
    Resolver resolver_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Transfer>> arrived_;
    std::vector<AttemptId> abandoned_;
    bool stopping_ = false;
    // Used by this thread only:
    std::vector<std::unique_ptr<Transfer>> looked_up_;  // waiting for name resolution
    std::unordered_map<CURL*, std::unique_ptr<Transfer>> under_way_;
    microseconds permitted_since_ = permit_.since();
    std::thread thread_;
};

WebhookDelivery::WebhookDelivery(TransferSettings settings, const UrlRules& rules, Secrets& secrets,
                                 const MonotonicClock& clock, Resolver::Lookup lookup,
                                 const SendPermit& permit)
    : sender_(std::make_unique<Sender>(std::move(settings), rules, secrets, clock,
                                       std::move(lookup), permit)) {}

WebhookDelivery::~WebhookDelivery() = default;

void WebhookDelivery::start(DeliveryRequest request, std::function<void(Outcome)> done) {
    sender_->queue(std::move(request), std::move(done));
}

void WebhookDelivery::abandon(const Event& event) { sender_->abandon(event); }

}  // namespace sundial::webhook
