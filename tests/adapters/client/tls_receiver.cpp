#include "adapters/client/tls_receiver.hpp"

#include <openssl/bio.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "support/loopback.hpp"

namespace sundial {
namespace {

/// So that a client that disappears does not end this process. The thread's only: the tests see
/// what becomes of the signal on the client's.
void block_broken_pipe() {
    sigset_t signals{};
    ::sigemptyset(&signals);
    ::sigaddset(&signals, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

/// The client sees the end of the connection, and `close` will reset it: writing raises SIGPIPE, if
/// the client does not prevent that.
void break_off(int connection) {
    ::shutdown(connection, SHUT_WR);
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(connection, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

}  // namespace

TlsReceiver::TlsReceiver(const CertificateFiles& own, Rules rules)
    : rules_(std::move(rules)), context_(SSL_CTX_new(TLS_server_method())) {
    SSL_CTX* const context = context_.get();
    bool ready = SSL_CTX_use_certificate_chain_file(context, own.certificate.c_str()) == 1 &&
                 SSL_CTX_use_PrivateKey_file(context, own.key.c_str(), SSL_FILETYPE_PEM) == 1;
    if (!rules_.client_certificate.empty()) {
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
        ready = ready && SSL_CTX_load_verify_file(context, rules_.client_certificate.c_str()) == 1;
    }
    if (!ready) throw std::runtime_error("cannot use the certificates");
    const auto [listener, port] = listen_on_loopback(8);
    listener_ = listener;
    port_ = port;
    thread_ = std::thread([this] { run(); });
}

TlsReceiver::~TlsReceiver() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
}

void TlsReceiver::run() {
    block_broken_pipe();
    while (true) {
        const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (connection < 0) return;
        serve(connection);
        ::close(connection);
    }
}

void TlsReceiver::serve(int connection) {
    const Owned<SSL, SSL_free> ssl{SSL_new(context_.get())};
    SSL_set_fd(ssl.get(), connection);
    if (SSL_accept(ssl.get()) != 1) return;
    std::string request;
    std::array<char, 4096> buffer{};
    while (request.find("\r\n\r\n") == std::string::npos) {
        const int got = SSL_read(ssl.get(), buffer.data(), buffer.size());
        if (got <= 0) return;
        request.append(buffer.data(), static_cast<std::size_t>(got));
    }
    if (rules_.break_off) return break_off(connection);
    constexpr std::string_view response = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nover TLS";
    SSL_write(ssl.get(), response.data(), static_cast<int>(response.size()));
    SSL_shutdown(ssl.get());
}

}  // namespace sundial
