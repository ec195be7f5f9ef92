#pragma once

#include <memory>
#include <string>

namespace boost::asio::ssl {
class context;
}

namespace sundial::http {

/// Paths of a server's certificate and key, both PEM.
struct TlsFiles {
    std::string certificate;  // the chain, the server's own certificate first
    std::string key;
    friend bool operator==(const TlsFiles&, const TlsFiles&) = default;
};

/// The TLS settings of connections: TLS 1.2 or 1.3, HTTP/1.1, forward secrecy, no early data.
/// Throws CannotStart, naming the file, if a file cannot be read or the two do not match.
[[nodiscard]] std::shared_ptr<boost::asio::ssl::context> tls_context(const TlsFiles& files);

}  // namespace sundial::http
