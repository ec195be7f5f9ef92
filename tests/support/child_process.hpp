#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <exception>
#include <functional>
#include <string>

namespace sundial {

/// Both ends of a pipe; the destructor closes them.
class Pipe {
public:
    Pipe() { EXPECT_EQ(::pipe(ends_.data()), 0); }
    ~Pipe() {
        close_reading();
        close_writing();
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    void close_reading() { close(ends_[0]); }
    void close_writing() { close(ends_[1]); }
    /// Up to 4096 bytes arrive unsplit, even from many threads. False once the reading end is
    /// closed.
    bool write(const std::string& text) const {
        return ::write(ends_[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    }
    /// Waits for data and returns it. Empty once the writing end is closed.
    std::string read() const {
        std::array<char, 65'536> bytes{};
        const auto length = ::read(ends_[0], bytes.data(), bytes.size());
        return {bytes.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
    }

private:
    static void close(int& end) {
        if (end >= 0) ::close(end);
        end = -1;
    }
    std::array<int, 2> ends_{-1, -1};
};

/// A process that runs `work` and ends. Create it while the test has only one thread.
class ChildProcess {
public:
    explicit ChildProcess(const std::function<void()>& work) : pid_{::fork()} {
        if (pid_ != 0) return;
        try {
            work();
        } catch (const std::exception&) {
            ::_exit(1);
        }
        ::_exit(0);
    }
    ~ChildProcess() {
        if (pid_ > 0) kill();
    }
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    [[nodiscard]] pid_t pid() const { return pid_; }
    /// Like `kill -9`.
    void kill() {
        ::kill(pid_, SIGKILL);
        wait();
    }
    void wait() {
        ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }

private:
    pid_t pid_;
};

}  // namespace sundial
