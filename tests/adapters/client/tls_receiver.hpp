#pragma once

#include <openssl/ssl.h>

#include <cstdint>
#include <string>
#include <thread>

#include "support/new_certificate.hpp"
#include "support/owned.hpp"

namespace sundial {

/// A TLS server on a free loopback port. It serves one connection after the other: reads the head
/// of a request and responds with 200 and "over TLS".
class TlsReceiver {
public:
    struct Rules {
        /// Clients must show this certificate; empty: it asks for none.
        std::string client_certificate{};
        /// It breaks the connection off instead of responding.
        bool break_off = false;
    };
    TlsReceiver(const CertificateFiles& own, Rules rules);
    ~TlsReceiver();
    TlsReceiver(const TlsReceiver&) = delete;
    TlsReceiver& operator=(const TlsReceiver&) = delete;

    [[nodiscard]] std::string url() const {
        return "https://127.0.0.1:" + std::to_string(port_) + "/secret";
    }

private:
    void run();
    void serve(int connection);

    Rules rules_;
    Owned<SSL_CTX, SSL_CTX_free> context_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

}  // namespace sundial
