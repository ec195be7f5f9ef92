#include "support/redis_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <thread>

namespace sundial {
namespace {

using namespace std::chrono_literals;

[[noreturn]] void fail(const std::string& what) {
    throw std::runtime_error{"temporary Redis: " + what};
}

sockaddr_in here(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

int free_port() {
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = here(0);
    socklen_t size = sizeof address;
    auto* as_any = reinterpret_cast<sockaddr*>(&address);
    if (bind(listener, as_any, size) != 0 || getsockname(listener, as_any, &size) != 0) {
        fail("no free port");
    }
    close(listener);
    return ntohs(address.sin_port);
}

/// Whether that process answers there. Another server may have taken the port.
bool answers(int port, pid_t process) {
    const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval patience{.tv_sec = 1, .tv_usec = 0};
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    const sockaddr_in address = here(port);
    const std::string question = "INFO server\r\n",
                      wanted = "process_id:" + std::to_string(process) + "\r\n";
    std::string answer;
    if (connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
        send(client, question.data(), question.size(), MSG_NOSIGNAL) > 0) {
        std::array<char, 4096> bytes{};
        for (ssize_t got = 1; got > 0 && answer.find(wanted) == std::string::npos;) {
            got = recv(client, bytes.data(), bytes.size(), 0);
            if (got > 0) answer.append(bytes.data(), static_cast<std::size_t>(got));
        }
    }
    close(client);
    return answer.find(wanted) != std::string::npos;
}

[[noreturn]] void become_server(const std::string& folder, int port, pid_t parent) {
    // The server ends however the tests end.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(126);
    const int log = open((folder + "/log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    dup2(log, 1);
    dup2(log, 2);
    const std::string number = std::to_string(port);
    execlp("redis-server", "redis-server", "--port", number.c_str(), "--bind", "127.0.0.1",
           "--save", "", "--appendonly", "no", "--repl-diskless-sync-delay", "0", "--dir",
           folder.c_str(), nullptr);
    _exit(127);
}

}  // namespace

RedisServer::RedisServer() {
    std::string folder = std::filesystem::temp_directory_path() / "sundial-redis-XXXXXX";
    if (!mkdtemp(folder.data())) fail("no temporary folder in " + folder);
    folder_ = folder;
    for (int tries = 0; tries < 5; ++tries) {
        port_ = free_port();  // another program may take it before the server does
        if (start()) return;
    }
    fail("redis-server does not start (apt-get install redis-server); see " + folder_ + "/log");
}

RedisServer::~RedisServer() {
    kill();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

bool RedisServer::start() {
    const pid_t parent = getpid();
    process_ = fork();
    if (process_ < 0) fail("no process");
    if (process_ == 0) become_server(folder_, port_, parent);
    const auto give_up = std::chrono::steady_clock::now() + 2min;
    while (std::chrono::steady_clock::now() < give_up) {
        if (waitpid(process_, nullptr, WNOHANG) == process_) {
            process_ = 0;
            return false;
        }
        if (answers(port_, process_)) return true;
        std::this_thread::sleep_for(2ms);
    }
    kill();
    return false;
}

void RedisServer::kill() {
    if (process_ == 0) return;
    ::kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = 0;
}

void RedisServer::restart() {
    kill();
    if (!start()) fail("it does not start again on port " + std::to_string(port_));
}

}  // namespace sundial
