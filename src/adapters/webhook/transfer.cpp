#include "adapters/webhook/transfer.hpp"

#include <curl/curl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/crash_point.hpp"

namespace sundial::webhook {
namespace {

constexpr long connect_timeout_ms = 5'000;
constexpr long longest_idle_s = 5;  // an older connection may be dead already: it is not used again

Outcome failed(Verdict verdict, DeliveryErrorCode code, std::string text) {
    Outcome outcome;
    outcome.verdict = verdict;
    outcome.error = code;
    outcome.error_text = std::move(text);
    return outcome;
}

}  // namespace

struct Transfer::Callbacks {
    static Transfer& self(void* transfer) { return *static_cast<Transfer*>(transfer); }

    static std::size_t read(char* into, std::size_t size, std::size_t count, void* transfer) {
        CRASH_POINT("send: mid request");  // the head is out, the body not
        Transfer& to = self(transfer);
        const std::size_t bytes = std::min(size * count, to.body_.size() - to.sent_);
        std::memcpy(into, to.body_.data() + to.sent_, bytes);
        to.sent_ += bytes;
        return bytes;
    }

    static std::size_t head(char* line, std::size_t size, std::size_t count, void* transfer) {
        return self(transfer).reader_.head_line({line, size * count}) ? size * count : 0;
    }

    static std::size_t body(char* piece, std::size_t size, std::size_t count, void* transfer) {
        return self(transfer).reader_.body({piece, size * count}) ? size * count : 0;
    }

    static curl_socket_t open(void* transfer, curlsocktype /*purpose*/, curl_sockaddr* address) {
        const auto target = address_of(address->addr);
        if (!target || self(transfer).addresses_.denied(*target)) {
            self(transfer).denied_ = true;
            return CURL_SOCKET_BAD;
        }
        return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    }
};

void Transfer::HandleFree::operator()(CURL* handle) const { curl_easy_cleanup(handle); }
void Transfer::ListFree::operator()(curl_slist* list) const { curl_slist_free_all(list); }

Transfer::Transfer(DeliveryRequest request, std::string body,
                   std::vector<std::pair<std::string, std::string>> headers,
                   const std::string& ca_file, const AddressRules& addresses,
                   std::function<void(Outcome)> done)
    : request_(std::move(request)),
      body_(std::move(body)),
      addresses_(addresses),
      done_(std::move(done)),
      handle_(curl_easy_init()) {
    curl_slist* list = nullptr;
    for (const auto& [name, value] : headers) {
        // libcurl's way to say "with an empty value" is a semicolon.
        const std::string line = value.empty() ? name + ';' : name + ": " + value;
        list = curl_slist_append(list, line.c_str());
    }
    for (const char* unwanted : {"Expect:", "Accept:", "Transfer-Encoding:"})
        list = curl_slist_append(list, unwanted);
    headers_.reset(list);

    const Endpoint& endpoint = request_.endpoint.value();
    CURL* const curl = handle_.get();
    curl_easy_setopt(curl, CURLOPT_PRIVATE, this);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_URL, endpoint.url.c_str());
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    if (!ca_file.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, ca_file.c_str());
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, connect_timeout_ms);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS,
                     static_cast<long>(std::chrono::milliseconds(endpoint.timeout).count()));
    curl_easy_setopt(curl, CURLOPT_MAXAGE_CONN, longest_idle_s);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers_.get());
    // The body comes by callback, and there is no way back: libcurl cannot send it a second time.
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body_.size()));
    curl_easy_setopt(curl, CURLOPT_READFUNCTION, &Callbacks::read);
    curl_easy_setopt(curl, CURLOPT_READDATA, this);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &Callbacks::head);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &Callbacks::body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, this);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, &Callbacks::open);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, this);
}

Transfer::~Transfer() = default;

void Transfer::finish(int curl_code) { std::exchange(done_, {})(outcome(curl_code)); }

void Transfer::give_up(DeliveryErrorCode code, std::string why) {
    std::exchange(done_, {})(failed(Verdict::retryable, code, std::move(why)));
}

Outcome Transfer::outcome(int curl_code) const {
    curl_off_t micros = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_TOTAL_TIME_T, &micros);
    Outcome outcome = reader_.head_complete() ? Outcome{} : failure(curl_code);
    outcome.duration = std::chrono::microseconds(micros);
    if (!reader_.head_complete()) return outcome;
    outcome.status_code = reader_.status();
    outcome.verdict = judge_status(reader_.status(), 0);
    outcome.response_body = reader_.kept_body();
    outcome.retry_after =
        reader_.retry_after(std::chrono::floor<std::chrono::seconds>(request_.now));
    if (outcome.verdict != Verdict::accepted) outcome.error = DeliveryErrorCode::http_status;
    return outcome;
}

Outcome Transfer::failure(int curl_code) const {
    const auto retryable = [&](DeliveryErrorCode code) {
        return failed(Verdict::retryable, code,
                      curl_easy_strerror(static_cast<CURLcode>(curl_code)));
    };
    if (denied_) {
        return failed(Verdict::permanent, DeliveryErrorCode::destination_forbidden,
                      "the address is not one that requests may go to");
    }
    switch (curl_code) {
        case CURLE_OPERATION_TIMEDOUT:
            return retryable(DeliveryErrorCode::timeout);
        case CURLE_COULDNT_RESOLVE_HOST:
            return retryable(DeliveryErrorCode::dns);
        case CURLE_COULDNT_CONNECT:
            return retryable(DeliveryErrorCode::connect);
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_CIPHER:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_SSL_ISSUER_ERROR:
            return retryable(DeliveryErrorCode::tls);
        case CURLE_SEND_ERROR:
        case CURLE_RECV_ERROR:
        case CURLE_SEND_FAIL_REWIND:
            return retryable(DeliveryErrorCode::connect);
        default:
            return retryable(DeliveryErrorCode::protocol);
    }
}

}  // namespace sundial::webhook
