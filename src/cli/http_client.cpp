#include "cli/http_client.hpp"

#include <curl/curl.h>

#include <memory>

namespace sundial::cli {
namespace {

std::size_t append(char* bytes, std::size_t size, std::size_t count, void* text) {
    static_cast<std::string*>(text)->append(bytes, size * count);
    return size * count;
}

struct HeadersFree {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

}  // namespace

Answer HttpClient::call(std::string_view method, std::string_view path, std::string_view body,
                        const CallOptions& options) const {
    const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(),
                                                                   &curl_easy_cleanup);
    const std::string authorization = "Authorization: Bearer " + api_key_;
    curl_slist* fields = curl_slist_append(nullptr, "Content-Type: application/json");
    if (!api_key_.empty()) fields = curl_slist_append(fields, authorization.c_str());
    for (const std::string& header : options.headers)
        fields = curl_slist_append(fields, header.c_str());
    const std::unique_ptr<curl_slist, HeadersFree> headers(fields);
    const std::string url = server_ + std::string(path);
    const std::string verb{method};
    Answer answer;
    curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl.get(), CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl.get(), CURLOPT_CUSTOMREQUEST, verb.c_str());
    curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT, 5L);
    curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(options.timeout.count()));
    curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, &append);
    curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &answer.body);
    curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers.get());
    const auto set_file = [&](CURLoption option, const std::string& file) {
        if (!file.empty()) curl_easy_setopt(curl.get(), option, file.c_str());
    };
    set_file(CURLOPT_CAINFO, tls_.ca_file);
    set_file(CURLOPT_SSLCERT, tls_.cert_file);
    set_file(CURLOPT_SSLKEY, tls_.key_file);
    if (!body.empty()) {
        curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDSIZE_LARGE,
                         static_cast<curl_off_t>(body.size()));
        curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDS, body.data());
    }
    if (const CURLcode code = curl_easy_perform(curl.get()); code != CURLE_OK) {
        const bool not_trusted = code == CURLE_PEER_FAILED_VERIFICATION;
        throw Unreachable("no response from " + server_ + " (" + curl_easy_strerror(code) + "); " +
                          (not_trusted ? "name the certificates to trust with --ca-file"
                                       : "is it running? Name another server with --server"));
    }
    long status = 0;
    curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
    answer.status = static_cast<int>(status);
    return answer;
}

}  // namespace sundial::cli
