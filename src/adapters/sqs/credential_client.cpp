#include "adapters/sqs/credential_client.hpp"

#include <curl/curl.h>

#include <fstream>
#include <memory>

namespace sundial::sqs {
namespace {

constexpr std::size_t max_credential_bytes = 64 * 1024;
constexpr std::size_t max_file_bytes = 1024 * 1024;

std::size_t take_credential_piece(char* piece, std::size_t size, std::size_t count, void* into) {
    auto& body = *static_cast<std::string*>(into);
    if (body.size() + size * count > max_credential_bytes) return 0;
    body.append(piece, size * count);
    return size * count;
}

int stop_credential_request(void* stopping, curl_off_t /*total*/, curl_off_t /*now*/,
                            curl_off_t /*to_send*/, curl_off_t /*sent*/) {
    return static_cast<const std::atomic<bool>*>(stopping)->load() ? 1 : 0;
}

}  // namespace

CredentialResponse ask_credential_service(const CredentialRequest& request,
                                          const std::atomic<bool>& stopping) {
    const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> owned(curl_easy_init(),
                                                                    &curl_easy_cleanup);
    CURL* const curl = owned.get();
    if (curl == nullptr) return {0, "libcurl cannot start a request"};
    curl_slist* list = nullptr;
    for (const auto& [name, value] : request.headers) {
        list = curl_slist_append(list, (name + ": " + value).c_str());
    }
    const std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers(list,
                                                                              &curl_slist_free_all);
    CredentialResponse response;
    const auto timeout = static_cast<long>(request.timeout.count());
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, timeout);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, timeout / 2);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &take_credential_piece);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &response.body);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, &stop_credential_request);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &stopping);
    if (request.method == "POST") {
        curl_easy_setopt(curl, CURLOPT_POST, 1L);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, static_cast<long>(request.body.size()));
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.c_str());
    } else {
        curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    }
    const CURLcode code = curl_easy_perform(curl);
    if (code != CURLE_OK) return {0, curl_easy_strerror(code)};
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    response.status = static_cast<int>(status);
    return response;
}

std::optional<std::string> read_small_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    std::string text;
    char c = 0;
    while (text.size() < max_file_bytes && file.get(c)) text += c;
    return file.bad() ? std::nullopt : std::optional{std::move(text)};
}

}  // namespace sundial::sqs
