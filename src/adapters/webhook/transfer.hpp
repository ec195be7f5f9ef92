#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/outbound/post.hpp"
#include "adapters/webhook/destination.hpp"
#include "adapters/webhook/request.hpp"
#include "adapters/webhook/response_reader.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/delivery.hpp"

namespace sundial::webhook {

struct TransferSettings {
    std::string user_agent = "sundial/1";
    std::string ca_file{};  // empty: the system's certificates
    // Limits of single steps; the endpoint's timeout bounds all of them together.
    std::chrono::milliseconds dns_timeout{3'000};
    std::chrono::milliseconds connect_timeout{5'000};
    std::chrono::milliseconds tls_timeout{5'000};
};

/// One request in progress: its libcurl options and its outcome.
class Transfer {
public:
    struct World {
        const TransferSettings& settings;
        const AddressRules& addresses;
        const MonotonicClock& clock;
    };
    /// It is signed once its connection stands.
    Transfer(DeliveryRequest request, Target target, Credentials credentials, World world,
             std::function<void(Outcome)> done);
    ~Transfer();
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;

    [[nodiscard]] CURL* handle() const { return handle_.get(); }
    [[nodiscard]] const Event& event() const { return request_.event; }
    [[nodiscard]] std::optional<std::chrono::microseconds> claimed() const {
        return request_.claimed;
    }
    /// The name to resolve first; null if the host is an address.
    [[nodiscard]] const std::string* name() const;
    /// Deadline for resolving the name.
    [[nodiscard]] std::chrono::microseconds name_due() const;

    /// Sets the addresses of the name. False if one of them is denied; the transfer must then stop.
    [[nodiscard]] bool resolved_to(std::span<const Address> addresses);
    /// Call when libcurl takes over the transfer: the remaining time starts now.
    void begin();

    /// Reports the outcome, once; `curl_code` is libcurl's result.
    void finish(int curl_code);
    void give_up(DeliveryErrorCode code, std::string why);
    void forbid(std::string why);

private:
    struct Callbacks;

    void set_up();
    void set_headers();
    [[nodiscard]] bool may_send_to(std::string_view peer) const;
    [[nodiscard]] bool denied(const Address& address) const;
    [[nodiscard]] Outcome outcome(int curl_code) const;
    [[nodiscard]] Outcome failure(int curl_code) const;
    [[nodiscard]] std::string time_out_text() const;
    void report(Outcome outcome);

    DeliveryRequest request_;
    Target target_;
    std::string body_;
    Credentials credentials_;
    World world_;
    std::function<void(Outcome)> done_;
    std::chrono::microseconds started_;
    std::chrono::microseconds begun_{0};
    ResponseReader reader_;
    std::size_t taken_ = 0;   // bytes of the body passed to libcurl
    bool denied_ = false;     // the rules refused an address
    bool opened_ = false;     // this transfer opened its connection; otherwise libcurl reused one
    bool tls_begun_ = false;  // the TCP connection is established then
    bool sent_ = false;       // the connection was established and the request sent
    std::vector<Address> addresses_;  // permitted destinations
    outbound::List resolved_;
    outbound::List headers_;
    outbound::Handle handle_;
};

}  // namespace sundial::webhook
