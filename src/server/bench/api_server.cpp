#include "server/bench/api_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string_view>
#include <thread>

#include "application/ports/failures.hpp"

extern char** environ;

namespace sundial::bench {
namespace {

/// The number after `name` in `text`.
template <class Number>
bool number_after(std::string_view text, std::string_view name, Number& number) {
    const auto at = text.find(name);
    if (at == std::string_view::npos) return false;
    const std::string_view rest = text.substr(at + name.size());
    return std::from_chars(rest.data(), rest.data() + rest.size(), number).ec == std::errc{};
}

}  // namespace

class ApiServer::Process {
public:
    explicit Process(const std::string& storage_url) {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw CannotStart("no pipe for the server's log");
        log_ = ends[0];
        posix_spawn_file_actions_t files;
        ::posix_spawn_file_actions_init(&files);
        ::posix_spawn_file_actions_adddup2(&files, ends[1], STDERR_FILENO);
        std::array<std::string, 5> words{"sundial", "serve", "--db", storage_url,
                                         "--http.listen=127.0.0.1:0"};
        std::array<char*, 6> arguments{};
        for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
        const int failed =
            ::posix_spawn(&process_, "/proc/self/exe", &files, nullptr, arguments.data(), environ);
        ::posix_spawn_file_actions_destroy(&files);
        ::close(ends[1]);
        if (failed != 0) throw CannotStart("the server of the benchmark does not start");
        wait_until_ready();
        rest_of_log_ = std::thread([this] {
            while (read_log(nullptr)) {
            }
        });
    }
    ~Process() {
        if (process_ > 0) {
            ::kill(process_, SIGTERM);
            ::waitpid(process_, nullptr, 0);
        }
        if (rest_of_log_.joinable()) rest_of_log_.join();
        ::close(log_);
    }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] int number() const { return process_; }

private:
    /// False at the end of the log.
    bool read_log(std::string* text) const {
        std::array<char, 4096> bytes{};
        const auto size = ::read(log_, bytes.data(), bytes.size());
        if (size > 0 && text != nullptr) text->append(bytes.data(), static_cast<std::size_t>(size));
        return size > 0;
    }
    void wait_until_ready() {
        std::string text;
        while (read_log(&text)) {
            const auto ready = text.find("\"server.ready\"");
            if (ready == std::string::npos || text.find('\n', ready) == std::string::npos) continue;
            const std::string_view line =
                std::string_view(text).substr(text.rfind('\n', ready) + 1);
            if (number_after(line, "\"listen\":\"127.0.0.1:", port_)) return;
        }
        ::waitpid(process_, nullptr, 0);
        process_ = -1;
        ::close(log_);
        throw CannotStart("the benchmark's server has stopped: " + text);
    }

    pid_t process_ = -1;
    int log_ = -1;
    std::uint16_t port_ = 0;
    std::thread rest_of_log_;
};

ApiServer::ApiServer(const std::string& storage_url)
    : process_(std::make_unique<Process>(storage_url)) {}
ApiServer::~ApiServer() = default;

std::uint16_t ApiServer::port() const { return process_->port(); }
int ApiServer::process() const { return process_->number(); }

ApiConnection::ApiConnection(std::uint16_t port)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    const int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
        ::close(socket_);
        throw Unavailable("the server of the benchmark does not answer");
    }
}

ApiConnection::~ApiConnection() { ::close(socket_); }

int ApiConnection::post(const std::string& path, const std::string& body) {
    const std::string request = "POST " + path +
                                " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                                "Content-Length: " +
                                std::to_string(body.size()) + "\r\n\r\n" + body;
    if (::send(socket_, request.data(), request.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(request.size())) {
        throw Unavailable("the server of the benchmark has closed the connection");
    }
    for (;;) {
        const auto end = unread_.find("\r\n\r\n");
        std::size_t length = 0;
        if (end != std::string::npos &&
            (number_after(unread_, "\r\nContent-Length: ", length) ||
             number_after(unread_, "\r\ncontent-length: ", length)) &&
            unread_.size() >= end + 4 + length) {
            int status = 0;
            (void)number_after(unread_, "HTTP/1.1 ", status);
            unread_.erase(0, end + 4 + length);
            return status;
        }
        std::array<char, 16UL * 1024> bytes{};
        const auto size = ::recv(socket_, bytes.data(), bytes.size(), 0);
        if (size <= 0) throw Unavailable("the server of the benchmark has closed the connection");
        unread_.append(bytes.data(), static_cast<std::size_t>(size));
    }
}

}  // namespace sundial::bench
