#include "adapters/webhook/inbox_kind.hpp"

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "adapters/webhook/request.hpp"

namespace sundial::webhook {
namespace {

/// A READ key sees what an inbox received, so it gets hints in place of the values.
HeaderList hints_of(const std::vector<EndpointHeader>& headers) {
    HeaderList hints;
    for (const EndpointHeader& header : headers) hints.emplace_back(header.name, header.hint);
    return hints;
}

/// One thread writes all waiting requests in one transaction; the worker's slots bound how many can
/// wait.
class InboxDelivery final : public Delivery {
public:
    InboxDelivery(Store& store, Ids& ids, std::string user_agent);
    ~InboxDelivery() override;
    InboxDelivery(const InboxDelivery&) = delete;
    InboxDelivery& operator=(const InboxDelivery&) = delete;

    void start(DeliveryRequest request, std::function<void(Outcome)> done) override;

private:
    struct Waiting {
        DeliveryRequest request;
        std::function<void(Outcome)> done;
    };
    void run();
    [[nodiscard]] Outcome keep(const std::vector<Waiting>& batch);

    Store& store_;
    Ids& ids_;
    std::string user_agent_;
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::vector<Waiting> waiting_;
    bool stopping_ = false;
    std::thread thread_;
};

InboxDelivery::InboxDelivery(Store& store, Ids& ids, std::string user_agent)
    : store_(store), ids_(ids), user_agent_(std::move(user_agent)), thread_([this] { run(); }) {}

InboxDelivery::~InboxDelivery() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    arrived_.notify_one();
    thread_.join();
}

void InboxDelivery::start(DeliveryRequest request, std::function<void(Outcome)> done) {
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back({std::move(request), std::move(done)});
    }
    arrived_.notify_one();
}

void InboxDelivery::run() {
    const SchedulerScope scheduler;
    while (true) {
        std::vector<Waiting> batch;
        {
            std::unique_lock lock(mutex_);
            arrived_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
            if (waiting_.empty()) return;
            batch.swap(waiting_);
        }
        const Outcome outcome = keep(batch);
        for (const Waiting& one : batch) one.done(outcome);
    }
}

Outcome InboxDelivery::keep(const std::vector<Waiting>& batch) {
    try {
        store_.transact([&](Transaction& tx) {
            for (const Waiting& one : batch) {
                const Endpoint& endpoint = *one.request.endpoint;
                std::string body = request_body(one.request.event, endpoint.format);
                auto headers = request_headers(one.request, body,
                                               {.keys = {}, .headers = hints_of(endpoint.headers)},
                                               user_agent_);
                tx.inbox().add({.id = ids_.fresh(),
                                .endpoint = endpoint.id,
                                .received_at = tx.now(),
                                .headers = std::move(headers),
                                .body = std::move(body)});
            }
            return true;
        });
    } catch (const std::exception& error) {  // only these attempts fail
        Outcome failed;
        failed.error = DeliveryErrorCode::worker;
        failed.error_text = error.what();
        return failed;
    }
    Outcome kept;
    kept.verdict = Verdict::accepted;
    kept.status_code = 204;
    return kept;
}

}  // namespace

InboxKind::InboxKind(Settings settings, Store& store, Ids& ids)
    : allowed_(settings.allowed),
      delivery_(std::make_unique<InboxDelivery>(store, ids, std::move(settings.user_agent))) {}

InboxKind::~InboxKind() = default;

std::vector<FieldError> InboxKind::refuse_new(const TypeSettings& given) const {
    std::vector<FieldError> found;
    if (!allowed_) {
        found.push_back({"/type", "not_allowed",
                         "INBOX endpoints are disabled (dev.inbox); they are for development"});
    }
    auto others = refuse_edit(given);
    found.insert(found.end(), others.begin(), others.end());
    return found;
}

std::vector<FieldError> InboxKind::refuse_edit(const TypeSettings& given) const {
    std::vector<FieldError> found;
    const auto refuse = [&found](bool is_given, const char* pointer, const char* message) {
        if (is_given) found.push_back({pointer, "not_allowed", message});
    };
    refuse(given.url.has_value(), "/url", "an INBOX has no URL");
    refuse(given.secret, "/secret", "an INBOX signs nothing: it has no secret");
    refuse(given.ed25519, "/ed25519", "an INBOX signs nothing: it has no keys");
    return found;
}

}  // namespace sundial::webhook
