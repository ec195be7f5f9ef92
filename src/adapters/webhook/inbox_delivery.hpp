#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "application/ports/delivery.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"

namespace sundial::webhook {

/// Stores in the database what a webhook receiver would have received. One thread writes all
/// waiting requests in one transaction; the worker's slots bound how many can wait.
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

}  // namespace sundial::webhook
