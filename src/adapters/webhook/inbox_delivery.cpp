#include "adapters/webhook/inbox_delivery.hpp"

#include <exception>

#include "adapters/webhook/request_body.hpp"
#include "adapters/webhook/request_headers.hpp"

namespace sundial::webhook {
namespace {

/// A READ key sees what an inbox received, so it gets hints in place of the values.
HeaderList hints_of(const std::vector<EndpointHeader>& headers) {
    HeaderList hints;
    for (const EndpointHeader& header : headers) hints.emplace_back(header.name, header.hint);
    return hints;
}

}  // namespace

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

}  // namespace sundial::webhook
