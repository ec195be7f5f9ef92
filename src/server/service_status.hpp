#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "adapters/system/service_manager.hpp"
#include "base/log.hpp"

namespace sundial::server {

/// Reports the state of the process to the service manager: `systemctl status` shows it. While the
/// claim loop makes progress, keeps the manager's watchdog from ending the process.
class ServiceStatus {
public:
    /// Both outlive this object.
    ServiceStatus(const system::ServiceManager& manager, base::Log& log);
    ~ServiceStatus();
    ServiceStatus(const ServiceStatus&) = delete;
    ServiceStatus& operator=(const ServiceStatus&) = delete;

    /// The start is not finished.
    void starting(const std::string& status);
    /// `makes_progress` is asked until stopping(), from another thread.
    void ready(const std::string& status, std::function<bool()> makes_progress);
    /// The watchdog ends here: the claim loop stops.
    void stopping();
    /// Stops asking for progress, as stopping() does; for a start that fails late.
    void end_watch();

private:
    void watch();
    void send(const std::string& assignments);

    const system::ServiceManager& manager_;
    base::Log& log_;
    bool failed_ = false;  // whether a failure was logged
    std::string ready_status_{};
    std::function<bool()> makes_progress_{};
    std::mutex mutex_{};
    std::condition_variable ended_{};
    bool end_ = false;
    std::thread thread_{};
};

}  // namespace sundial::server
