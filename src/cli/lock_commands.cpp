#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "application/ports/clock.hpp"
#include "base/json.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "domain/lock.hpp"
#include "domain/time/text.hpp"

namespace sundial::cli {

/// A command that runs as its own process and cannot outlive this one. While it runs, this process
/// passes SIGINT, SIGTERM and SIGHUP on to it. Use from one thread.
class GuardedCommand {
public:
    /// Starts it with `environment` ("NAME=value") added to this process's. Throws
    /// std::runtime_error.
    GuardedCommand(const std::vector<std::string>& command,
                   const std::vector<std::string>& environment);
    ~GuardedCommand();
    GuardedCommand(const GuardedCommand&) = delete;
    GuardedCommand& operator=(const GuardedCommand&) = delete;

    /// Its exit code, 128 + the signal that ended it, or 127 if it cannot be run; nothing if it has
    /// not ended in time.
    [[nodiscard]] std::optional<int> wait(std::chrono::milliseconds at_most);
    /// Signals the command. Unless the command reads a terminal, it has its own process group, and
    /// the processes that it started get the signal too.
    void signal(int number) const;

private:
    pid_t process_ = -1;
    bool own_group_;
    int over_ = -1;     // readable once the command has ended
    int signals_ = -1;  // signals to pass on
};

namespace {

namespace json = boost::json;

}  // namespace

std::string lock_path(const std::string& name) { return "/v1/locks/" + path_text(name); }

std::string acquire_body(const LockToAcquire& requested) {
    base::JsonWriter body;
    body.begin_object().member("holder", std::string_view{requested.holder});
    body.member("ttl", std::string_view{requested.ttl});
    body.member("wait", std::string_view{requested.wait});
    return std::move(body.end_object()).text();
}

std::string renew_body(const std::string& lock_token, const std::string& ttl) {
    base::JsonWriter body;
    body.begin_object().member("lockToken", std::string_view{lock_token});
    body.member("ttl", std::string_view{ttl});
    return std::move(body.end_object()).text();
}

CallOptions showing(const std::string& lock_token) {
    return {.headers = {"Sundial-Lock-Token: " + lock_token}};
}

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr std::chrono::seconds longest_request = 60s;  // of a waiting request: the API's maximum
constexpr std::chrono::microseconds no_end = std::chrono::hours{24 * 365};

std::chrono::milliseconds in_milliseconds(std::chrono::microseconds time) {
    return std::chrono::ceil<std::chrono::milliseconds>(time);
}

/// The lock from its grant to its release, renewed on its own thread.
class Lease {
public:
    Lease(const HttpClient& client, const LockedRun& run, const MonotonicClock& monotonic,
          std::string lock_token)
        : client_{client},
          run_{run},
          monotonic_{monotonic},
          lock_token_{std::move(lock_token)},
          // The grant may be much older than its response, so the lease counts from a renewal.
          lease_{{.ttl = run.ttl, .max_hold = no_end}, monotonic.now() - run.ttl, monotonic.now()} {
    }

    /// False if the lease has expired already, or the server does not respond.
    [[nodiscard]] bool begin() { return renew(); }
    void keep() {
        renewing_ = std::jthread{[this](const std::stop_token& stop) { renew_until(stop); }};
    }
    [[nodiscard]] Mono lost_at() {
        const std::lock_guard lock{mutex_};
        return lease_.lost_at();
    }
    void release() {
        renewing_ = {};
        try {
            CallOptions options = showing(lock_token_);
            options.timeout = 5s;
            (void)client_.call("DELETE", lock_path(run_.name), {}, options);
        } catch (const Unreachable&) {
            return;  // the lease expires by itself
        }
    }

private:
    /// False if the renewal was refused.
    bool renew() {
        const Mono asked = monotonic_.now();
        std::optional<int> status;
        try {
            status = client_
                         .call("PUT", lock_path(run_.name),
                               renew_body(lock_token_, format_duration(run_.ttl)),
                               {.timeout = std::max(1'000ms, in_milliseconds(run_.ttl / 3))})
                         .status;
        } catch (const Unreachable&) {
            status.reset();
        }
        const Mono answered = monotonic_.now();
        const std::lock_guard lock{mutex_};
        if (status == 200) {
            lease_.renewed(asked, answered);
        } else if (status == 409) {
            lease_.refused(answered);
        } else {
            lease_.failed(answered);  // there may be time for another attempt
        }
        return status == 200;
    }

    void renew_until(const std::stop_token& stop) {
        std::unique_lock lock{mutex_};
        while (const auto due = lease_.renew_at()) {
            const auto rest = *due - monotonic_.now();
            if (rest > 0us) ended_.wait_for(lock, stop, rest, [] { return false; });
            if (stop.stop_requested()) return;
            lock.unlock();
            (void)renew();
            lock.lock();
        }
    }

    const HttpClient& client_;
    const LockedRun& run_;
    const MonotonicClock& monotonic_;
    const std::string lock_token_;
    std::mutex mutex_;
    std::condition_variable_any ended_;
    LockLease lease_;
    std::jthread renewing_;
};

/// The response that grants the lock, or the last one that does not.
Answer acquire(const HttpClient& client, const LockedRun& run, const MonotonicClock& monotonic) {
    const Mono give_up = monotonic.now() + run.wait;
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::seconds>(give_up - monotonic.now());
        const auto wait = std::clamp<std::chrono::seconds>(left, 0s, longest_request);
        const Answer answer = client.call("POST", lock_path(run.name),
                                          acquire_body({.name = run.name,
                                                        .holder = run.holder,
                                                        .ttl = format_duration(run.ttl),
                                                        .wait = format_duration(wait)}));
        if (answer.status != 409 || monotonic.now() >= give_up) return answer;
    }
}

/// Returns the command's exit code after it has ended by itself or because the lock was lost.
int supervise(GuardedCommand& command, Lease& lease, const LockedRun& run,
              const MonotonicClock& monotonic, const Output& output) {
    // Maximum time between two checks whether the lease has been renewed.
    constexpr std::chrono::microseconds poll_interval = 200ms;
    for (;;) {
        const auto left = lease.lost_at() - monotonic.now();
        if (left <= 0us) break;
        if (const auto code = command.wait(in_milliseconds(std::min(left, poll_interval))))
            return *code;
    }
    output.err << "sundial: the lock '" << run.name << "' is lost; stopping the command\n";
    command.signal(SIGTERM);
    // At least half of the remaining lease, which is a tenth of the whole.
    if (const auto code = command.wait(in_milliseconds(run.ttl / 20))) return *code;
    command.signal(SIGKILL);
    for (;;) {
        if (const auto code = command.wait(1s)) return *code;
    }
}

}  // namespace

int run_under_lock(const HttpClient& client, const LockedRun& run, const MonotonicClock& monotonic,
                   const Output& output) {
    const Answer granted = acquire(client, run, monotonic);
    std::string lock_token, fencing_token;
    const auto note = [&](const json::object& lock) {
        lock_token = text_of(lock, "lockToken");
        fencing_token = text_of(lock, "fencingToken");
    };
    if (const int code = print(granted, {output.out, output.err, false}, note); code != 0) {
        return code;
    }
    Lease lease{client, run, monotonic, lock_token};
    if (!lease.begin()) {
        output.err << "sundial: the lock '" << run.name
                   << "' was lost before the command started\n";
        lease.release();
        return exit_code::conflict;
    }
    GuardedCommand command{run.command,
                           {std::string(fencing_token_variable) + '=' + fencing_token}};
    lease.keep();
    const int code = supervise(command, lease, run, monotonic, output);
    lease.release();
    return code;
}

namespace {

sigset_t passed_on() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
    return set;
}

[[noreturn]] void become(const std::vector<std::string>& command,
                         const std::vector<std::string>& environment, bool own_group,
                         pid_t parent) {
    // If this process is killed, the lock is no longer renewed: then the command must die too.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(126);
    if (own_group) setpgid(0, 0);
    const sigset_t set = passed_on();
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
    for (const std::string& entry : environment) {
        putenv(const_cast<char*>(entry.c_str()));  // lives until exec replaces this process
    }
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments.front(), arguments.data());
    std::perror(("sundial: " + command.front()).c_str());
    _exit(127);
}

}  // namespace

GuardedCommand::GuardedCommand(const std::vector<std::string>& command,
                               const std::vector<std::string>& environment)
    : own_group_{::isatty(STDIN_FILENO) == 0} {
    const sigset_t set = passed_on();
    sigprocmask(SIG_BLOCK, &set, nullptr);
    signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    const pid_t parent = getpid();
    process_ = fork();
    if (process_ == 0) become(command, environment, own_group_, parent);
    if (process_ < 0 || signals_ < 0) throw std::runtime_error{"the command cannot be started"};
    if (own_group_) setpgid(process_, process_);  // parent and child both call it, in either order
    over_ = static_cast<int>(syscall(SYS_pidfd_open, process_, 0));
    if (over_ < 0) throw std::runtime_error{"the command cannot be monitored"};
}

GuardedCommand::~GuardedCommand() {
    if (process_ > 0) {
        signal(SIGKILL);
        waitpid(process_, nullptr, 0);
    }
    if (over_ >= 0) close(over_);
    if (signals_ >= 0) close(signals_);
}

std::optional<int> GuardedCommand::wait(std::chrono::milliseconds at_most) {
    std::array<pollfd, 2> watched{pollfd{.fd = over_, .events = POLLIN, .revents = 0},
                                  pollfd{.fd = signals_, .events = POLLIN, .revents = 0}};
    const auto longest = std::clamp<std::chrono::milliseconds::rep>(at_most.count(), 0, 60'000);
    (void)poll(watched.data(), watched.size(), static_cast<int>(longest));
    signalfd_siginfo came{};
    while (read(signals_, &came, sizeof came) == sizeof came) {
        signal(static_cast<int>(came.ssi_signo));
    }
    int status = 0;
    if (waitpid(process_, &status, WNOHANG) != process_) return std::nullopt;
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void GuardedCommand::signal(int number) const {
    if (process_ > 0) ::kill(own_group_ ? -process_ : process_, number);
}

}  // namespace sundial::cli
