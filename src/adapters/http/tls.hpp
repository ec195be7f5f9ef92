#pragma once

#include <memory>
#include <string>

namespace boost::asio::ssl {
class context;
}

namespace sundial::http {

/// Where a server's certificate and its key lie, both PEM.
struct TlsFiles {
    std::string certificate;  // the chain, its own first
    std::string key;
    friend bool operator==(const TlsFiles&, const TlsFiles&) = default;
};

/// What connections are secured with: TLS 1.2 or 1.3, HTTP/1.1, forward secrecy, no early data.
/// Throws CannotStart, naming the file, if the two cannot be read or do not belong together.
[[nodiscard]] std::shared_ptr<boost::asio::ssl::context> tls_context(const TlsFiles& files);

}  // namespace sundial::http
