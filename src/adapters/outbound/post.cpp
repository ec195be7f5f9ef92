#include "adapters/outbound/post.hpp"

#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>

namespace sundial::outbound {
namespace {

/// A connection that is idle for five seconds may already be closed. libcurl counts whole seconds.
constexpr long longest_idle_s = 4;

/// libcurl treats a blank value as a removed header; a semicolon sends the header with an empty
/// value.
std::string header_line(const Header& header) {
    const auto& [name, value] = header;
    return value.find_first_not_of(" \t") == std::string::npos ? name + ';' : name + ": " + value;
}

}  // namespace

void HandleFree::operator()(CURL* handle) const { curl_easy_cleanup(handle); }
void ListFree::operator()(curl_slist* list) const { curl_slist_free_all(list); }

Handle post_handle(void* owner, std::size_t body_bytes, const std::string& ca_file) {
    Handle handle(curl_easy_init());
    CURL* const curl = handle.get();
    curl_easy_setopt(curl, CURLOPT_PRIVATE, owner);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    if (!ca_file.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, ca_file.c_str());
    curl_easy_setopt(curl, CURLOPT_MAXAGE_CONN, longest_idle_s);
    // The body comes from a callback that cannot rewind, so libcurl cannot send it a second time.
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body_bytes));
    return handle;
}

void limit_time(CURL* handle, std::chrono::milliseconds whole, std::chrono::milliseconds connect) {
    curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, std::max(1L, static_cast<long>(whole.count())));
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect.count()));
}

List set_headers(CURL* handle, std::span<const Header> headers) {
    curl_slist* list = nullptr;
    for (const Header& header : headers) {
        list = curl_slist_append(list, header_line(header).c_str());
    }
    for (const char* unwanted : {"Expect:", "Accept:", "Transfer-Encoding:"}) {
        list = curl_slist_append(list, unwanted);
    }
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, list);
    return List(list);
}

int open_socket(int family, int type, int protocol, std::chrono::milliseconds patience) {
    const int connection = ::socket(family, type | SOCK_CLOEXEC, protocol);
    const auto timeout_ms = static_cast<unsigned>(patience.count());
    ::setsockopt(connection, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof timeout_ms);
    return connection;
}

DeliveryErrorCode error_code(int curl_code) {
    switch (curl_code) {
        case CURLE_OPERATION_TIMEDOUT:
            return DeliveryErrorCode::timeout;
        case CURLE_COULDNT_RESOLVE_HOST:
            return DeliveryErrorCode::dns;
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_CIPHER:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_SSL_ISSUER_ERROR:
            return DeliveryErrorCode::tls;
        case CURLE_COULDNT_CONNECT:
        case CURLE_SEND_ERROR:
        case CURLE_RECV_ERROR:
        case CURLE_SEND_FAIL_REWIND:
        case CURLE_ABORTED_BY_CALLBACK:  // by the check that refuses a second connection
            return DeliveryErrorCode::connect;
        default:
            return DeliveryErrorCode::protocol;
    }
}

std::string error_text(int curl_code) {
    if (curl_code == CURLE_ABORTED_BY_CALLBACK) {
        return "the connection was closed before a response arrived";
    }
    return curl_easy_strerror(static_cast<CURLcode>(curl_code));
}

}  // namespace sundial::outbound
