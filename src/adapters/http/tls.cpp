#include "adapters/http/tls.hpp"

#include <openssl/ssl.h>

#include <array>
#include <boost/asio/ssl/context.hpp>
#include <string_view>

#include "application/ports/failures.hpp"

namespace sundial::http {
namespace {

namespace ssl = boost::asio::ssl;

// ALPN (RFC 7301): each name follows its length.
constexpr std::array<unsigned char, 9> http_1_1{8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

/// Refuses a client that offers other protocols only. A client that offers none speaks HTTP/1.1.
int choose_protocol(SSL* /*connection*/, const unsigned char** chosen, unsigned char* chosen_size,
                    const unsigned char* offered, unsigned int offered_size, void* /*none*/) {
    unsigned char* found = nullptr;
    const int result = SSL_select_next_proto(&found, chosen_size, http_1_1.data(), http_1_1.size(),
                                             offered, offered_size);
    if (result != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

CannotStart unusable(std::string_view setting, const std::string& file,
                     const boost::system::error_code& failure) {
    return CannotStart(std::string(setting) + ": '" + file +
                       "' cannot be used: " + failure.message() + "; it must be PEM");
}

}  // namespace

std::shared_ptr<ssl::context> tls_context(const TlsFiles& files) {
    auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
    SSL_CTX* const native = context->native_handle();
    SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
    SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_cipher_list(native, "ECDHE+AESGCM:ECDHE+CHACHA20");  // for TLS 1.2
    SSL_CTX_set_alpn_select_cb(native, &choose_protocol, nullptr);
    boost::system::error_code failure;
    context->use_certificate_chain_file(files.certificate, failure);
    if (failure) throw unusable("http.tls_cert", files.certificate, failure);
    // Loading the key also checks that it matches the certificate.
    context->use_private_key_file(files.key, ssl::context::pem, failure);
    if (failure) throw unusable("http.tls_key", files.key, failure);
    if (SSL_CTX_check_private_key(native) != 1) {
        throw CannotStart("http.tls_key: '" + files.key + "' is not the key of '" +
                          files.certificate + "'");
    }
    return context;
}

}  // namespace sundial::http
