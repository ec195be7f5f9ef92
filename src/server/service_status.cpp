#include "server/service_status.hpp"

#include <utility>

namespace sundial::server {

ServiceStatus::ServiceStatus(const system::ServiceManager& manager, base::Log& log)
    : manager_(manager), log_(log) {}

ServiceStatus::~ServiceStatus() { end_watch(); }

void ServiceStatus::starting(const std::string& status) { send("STATUS=" + status); }

void ServiceStatus::ready(const std::string& status, std::function<bool()> makes_progress) {
    ready_status_ = status;
    makes_progress_ = std::move(makes_progress);
    send("READY=1\nSTATUS=" + status);
    if (manager_.watchdog()) thread_ = std::thread([this] { watch(); });
}

void ServiceStatus::stopping() {
    end_watch();
    send("STOPPING=1\nSTATUS=stopping: finishing the requests and deliveries in progress");
}

void ServiceStatus::watch() {
    // Four checks within the manager's time limit, so that a single slow turn does no harm.
    const auto between_reports = *manager_.watchdog() / 4;
    bool progressed = true;
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, between_reports, [this] { return end_; })) {
        const bool progresses = makes_progress_();
        std::string report = progresses ? "WATCHDOG=1" : "";
        if (progresses != progressed) {
            report += (report.empty() ? "STATUS=" : "\nSTATUS=") +
                      (progresses ? ready_status_ : "the claim loop makes no progress");
        }
        progressed = progresses;
        if (!report.empty()) send(report);
    }
}

void ServiceStatus::send(const std::string& assignments) {
    if (manager_.notify(assignments) || std::exchange(failed_, true)) return;
    log_.write({.level = base::LogLevel::warn,
                .event_name = "",
                .message = "the service manager could not be notified (NOTIFY_SOCKET): it may end "
                           "this process",
                .correlation_id = "",
                .fields = {}});
}

void ServiceStatus::end_watch() {
    {
        const std::lock_guard lock(mutex_);
        end_ = true;
    }
    ended_.notify_all();
    if (thread_.joinable()) thread_.join();
}

}  // namespace sundial::server
