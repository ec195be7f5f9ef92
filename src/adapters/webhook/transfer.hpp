#pragma once

#include <functional>
#include <memory>
#include <string>

#include "adapters/webhook/address_rules.hpp"
#include "adapters/webhook/response_reader.hpp"
#include "application/ports/delivery.hpp"

typedef void CURL;  // as libcurl declares it

struct curl_slist;

namespace sundial::webhook {

/// One request on its way: what libcurl must be told of it, and what it becomes.
class Transfer {
public:
    /// `headers` has all that is sent. Addresses are judged again when a socket is opened.
    Transfer(DeliveryRequest request, std::string body,
             std::vector<std::pair<std::string, std::string>> headers, const std::string& ca_file,
             const AddressRules& addresses, std::function<void(Outcome)> done);
    ~Transfer();
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;

    [[nodiscard]] CURL* handle() const { return handle_.get(); }
    /// Tells whoever waits, once; `curl_code` is libcurl's result.
    void finish(int curl_code);
    void give_up(DeliveryErrorCode code, std::string why);
    [[nodiscard]] const Event& event() const { return request_.event; }

private:
    struct HandleFree {
        void operator()(CURL* handle) const;
    };
    struct ListFree {
        void operator()(curl_slist* list) const;
    };
    struct Callbacks;

    [[nodiscard]] Outcome outcome(int curl_code) const;
    [[nodiscard]] Outcome failure(int curl_code) const;

    DeliveryRequest request_;
    std::string body_;
    const AddressRules& addresses_;
    std::function<void(Outcome)> done_;
    ResponseReader reader_;
    std::size_t sent_ = 0;  // bytes of the body that libcurl has taken
    bool denied_ = false;   // an address that the rules refuse
    std::unique_ptr<curl_slist, ListFree> headers_;
    std::unique_ptr<CURL, HandleFree> handle_;
};

}  // namespace sundial::webhook
