#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>

#include "sundial/result.hpp"

namespace sundial::embedding {

/// The process that created an object. After a fork the child has a copy of the object, but not its
/// threads, and the connections of the copy are the parent's. So the child must neither use nor
/// destroy the copy.
class OwnProcess {
public:
    OwnProcess();
    /// Whether this is a child of that process.
    [[nodiscard]] bool forked() const;
    /// WRONG_PROCESS, for calls in the child.
    [[nodiscard]] Error error() const;

private:
    const std::int64_t id_;
};

/// A token whose stop is requested: for locks in a forked child, because only the parent holds
/// them.
[[nodiscard]] inline std::stop_token lost_by_fork() {
    std::stop_source lost;
    lost.request_stop();
    return lost.get_token();
}

/// Destroys `parts`. In a forked child, leaves them in memory instead.
template <class Parts>
void destroy_unless_forked(std::unique_ptr<Parts> parts) {
    if (parts && parts->process.forked()) static_cast<void>(parts.release());
}

/// Records which threads run a function of the program for one owner, such as a handler for an
/// engine. There, a call that waits for the owner would wait for itself.
class Callbacks {
public:
    Callbacks() = default;
    Callbacks(const Callbacks&) = delete;
    Callbacks& operator=(const Callbacks&) = delete;

    /// One call of such a function on this thread.
    class Call {
    public:
        explicit Call(const Callbacks& owner);
        ~Call();
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;

    private:
        friend class Callbacks;
        const Callbacks& owner_;
        const Call* const outer_;
    };
    /// Whether this thread is inside such a call, at any depth.
    [[nodiscard]] bool running_here() const;
};

}  // namespace sundial::embedding
