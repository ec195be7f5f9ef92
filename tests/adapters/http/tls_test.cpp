#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include "adapters/http/server_fixture.hpp"
#include "support/temporary_folder.hpp"

namespace sundial::http {
namespace {

template <auto free>
struct Freed {
    template <class T>
    void operator()(T* object) const {
        free(object);
    }
};
template <class T, auto free>
using Owned = std::unique_ptr<T, Freed<free>>;

/// A new self-signed certificate and its key, in `folder`.
TlsFiles new_certificate(const std::filesystem::path& folder) {
    const TlsFiles files{(folder / "server.crt").string(), (folder / "server.key").string()};
    const Owned<EVP_PKEY, EVP_PKEY_free> key{EVP_EC_gen("P-256")};
    const Owned<X509, X509_free> certificate{X509_new()};
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_set_pubkey(certificate.get(), key.get());
    X509_sign(certificate.get(), key.get(), EVP_sha256());
    const Owned<std::FILE, std::fclose> certificate_file{
        std::fopen(files.certificate.c_str(), "w")};
    PEM_write_X509(certificate_file.get(), certificate.get());
    const Owned<std::FILE, std::fclose> key_file{std::fopen(files.key.c_str(), "w")};
    PEM_write_PrivateKey(key_file.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    return files;
}

/// A blocking TLS connection that accepts any certificate. It closes cleanly: sends close_notify,
/// and does not wait for the server's.
class TlsClient {
public:
    explicit TlsClient(std::uint16_t port)
        : context_(SSL_CTX_new(TLS_client_method())), ssl_(SSL_new(context_.get())) {
        // With TLS 1.3, session tickets would be unread at the close, which would reset the
        // connection.
        SSL_set_max_proto_version(ssl_.get(), TLS1_2_VERSION);
        BIO* const socket = BIO_new_connect(("127.0.0.1:" + std::to_string(port)).c_str());
        SSL_set_bio(ssl_.get(), socket, socket);  // takes ownership
        if (SSL_connect(ssl_.get()) != 1) throw std::runtime_error("no handshake");
    }
    ~TlsClient() { SSL_shutdown(ssl_.get()); }
    TlsClient(const TlsClient&) = delete;
    TlsClient& operator=(const TlsClient&) = delete;

    void send(const std::string& bytes) {
        if (SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())) <= 0)
            throw std::runtime_error("the server is gone");
    }

private:
    Owned<SSL_CTX, SSL_CTX_free> context_;
    Owned<SSL, SSL_free> ssl_;
};

class TlsTest : public ServerTest {
protected:
    TlsTest() { settings_.tls = new_certificate(folder_.path()); }

    TemporaryFolder folder_;
};

TEST_F(TlsTest, EndsALongPollWhenTheClientClosesTls) {
    start();
    {
        TlsClient client(port_);
        client.send(get("/poll"));
        until_listening(1);
    }
    until_listening(0);
    EXPECT_TRUE(observed_.requests().empty());
}

TEST_F(TlsTest, UndoesAnAnswerWhoseClientClosedTls) {
    lose_an_answer<TlsClient>();
    undone_.get_future().wait();
}

}  // namespace
}  // namespace sundial::http
