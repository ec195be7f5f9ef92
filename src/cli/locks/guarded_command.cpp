#include "cli/locks/guarded_command.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace sundial::cli {
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
