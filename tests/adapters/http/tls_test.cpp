#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <stdexcept>
#include <string>

#include "adapters/http/server_fixture.hpp"
#include "support/new_certificate.hpp"
#include "support/owned.hpp"
#include "support/temporary_folder.hpp"

namespace sundial::http {
namespace {

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
    TlsTest() {
        const auto files = new_certificate(folder_.path(), "server");
        settings_.tls = TlsFiles{files.certificate, files.key};
    }

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
