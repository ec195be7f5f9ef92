#include "adapters/client/exchange.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace sundial::client {
namespace {

struct FreeHeaderList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, FreeHeaderList>;

HeaderList list_of(const std::vector<std::string>& lines) {
    HeaderList list;
    for (const std::string& line : lines) {
        curl_slist* const longer = curl_slist_append(list.get(), line.c_str());
        if (longer == nullptr) throw std::bad_alloc{};
        if (list == nullptr) list.reset(longer);  // else the first line stays in front
    }
    return list;
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::size_t add_to_body(char* bytes, std::size_t size, std::size_t count, void* response) {
    static_cast<HttpResponse*>(response)->body.append(bytes, size * count);
    return size * count;
}

std::size_t add_header_line(char* bytes, std::size_t size, std::size_t count, void* response) {
    const std::string_view line{bytes, size * count};
    auto& headers = static_cast<HttpResponse*>(response)->headers;
    // A status line. The headers so far belong to an interim response, or to a proxy's.
    if (line.starts_with("HTTP/")) {
        headers.clear();
        return line.size();
    }
    if (const auto colon = line.find(':'); colon != std::string_view::npos) {
        std::string name{line.substr(0, colon)};
        std::ranges::transform(name, name.begin(), [](char c) {
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        });
        headers.insert_or_assign(std::move(name), trimmed(line.substr(colon + 1)));
    }
    return line.size();
}

/// A transfer by libcurl. The request, the headers and the response must live until its end.
class Transfer {
public:
    Transfer() : curl_(curl_easy_init()) {
        if (!curl_) throw std::bad_alloc{};
        set(CURLOPT_PROTOCOLS_STR, "http,https");
        set(CURLOPT_NOSIGNAL, 1L);
    }

    void send(const HttpRequest& request, const HeaderList& headers) {
        set(CURLOPT_URL, request.url.c_str());
        if (request.method == "HEAD") {
            set(CURLOPT_NOBODY, 1L);
        } else {
            set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
        }
        set(CURLOPT_HTTPHEADER, headers.get());
        if (!request.body.empty()) {
            set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
            const char* const body = request.body.data();  // its size is set, no end is needed
            set(CURLOPT_POSTFIELDS, body);
        }
        set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.connect_timeout.count()));
        set(CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
    }

    void trust(const TlsFiles& tls) {
        const auto set_file = [this](CURLoption option, const std::string& file) {
            if (!file.empty()) set(option, file.c_str());
        };
        set_file(CURLOPT_CAINFO, tls.ca_file);
        set_file(CURLOPT_SSLCERT, tls.certificate_file);
        set_file(CURLOPT_SSLKEY, tls.key_file);
    }

    void receive(HttpResponse& response) {
        set(CURLOPT_WRITEFUNCTION, &add_to_body);
        set(CURLOPT_WRITEDATA, &response);
        set(CURLOPT_HEADERFUNCTION, &add_header_line);
        set(CURLOPT_HEADERDATA, &response);
    }

    [[nodiscard]] CURLcode perform() { return curl_easy_perform(curl_.get()); }

    [[nodiscard]] int status() const {
        long status = 0;
        curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &status);
        return static_cast<int>(status);
    }

private:
    struct Free {
        void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
    };

    template <class Value>
    void set(CURLoption option, Value value) {
        curl_easy_setopt(curl_.get(), option, value);
    }

    std::unique_ptr<CURL, Free> curl_;
};

}  // namespace

base::Result<HttpResponse, NoResponse> exchange(const HttpRequest& request, const TlsFiles& tls) {
    const HeaderList headers = list_of(request.headers);
    HttpResponse response;
    Transfer transfer;
    transfer.send(request, headers);
    transfer.trust(tls);
    transfer.receive(response);
    if (const CURLcode code = transfer.perform(); code != CURLE_OK) {
        return NoResponse{
            .reason = curl_easy_strerror(code),
            .untrusted_server = code == CURLE_PEER_FAILED_VERIFICATION,
            .unusable_files = code == CURLE_SSL_CACERT_BADFILE || code == CURLE_SSL_CERTPROBLEM};
    }
    response.status = transfer.status();
    return response;
}

}  // namespace sundial::client
