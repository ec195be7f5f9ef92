#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "application/ports/delivery.hpp"

typedef void CURL;  // as libcurl declares it

struct curl_slist;  // NOLINT(readability-identifier-naming): libcurl calls it so

namespace sundial::outbound {

struct HandleFree {
    void operator()(CURL* handle) const;
};
struct ListFree {
    void operator()(curl_slist* list) const;
};
using Handle = std::unique_ptr<CURL, HandleFree>;
using List = std::unique_ptr<curl_slist, ListFree>;
using Header = std::pair<std::string, std::string>;

/// A handle for one POST that libcurl sends at most once: no redirect, no proxy, no connection that
/// may be dead. The caller sets the URL and the callbacks; the read callback provides the body.
/// `owner`: its CURLOPT_PRIVATE. `ca_file`: empty for the system's certificates.
[[nodiscard]] Handle post_handle(void* owner, std::size_t body_bytes, const std::string& ca_file);

/// Limits the duration of the whole request, and of its connection attempt.
void limit_time(CURL* handle, std::chrono::milliseconds whole, std::chrono::milliseconds connect);

/// Sets `headers`, and removes those that libcurl would add. The result must outlive the request.
[[nodiscard]] List set_headers(CURL* handle, std::span<const Header> headers);

/// A socket for CURLOPT_OPENSOCKETFUNCTION. The kernel gives up data that stays unacknowledged for
/// `patience`. Otherwise it keeps sending for minutes after we gave up, and a network that recovers
/// delivers an old attempt after the one that succeeded.
[[nodiscard]] int open_socket(int family, int type, int protocol,
                              std::chrono::milliseconds patience);

/// The code of a request that libcurl ended with `curl_code` before a response was complete.
[[nodiscard]] DeliveryErrorCode error_code(int curl_code);
/// The same in words.
[[nodiscard]] std::string error_text(int curl_code);

inline constexpr const char* forbidden_address = "requests must not go to this address";

}  // namespace sundial::outbound
