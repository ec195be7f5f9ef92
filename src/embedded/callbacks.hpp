#pragma once

namespace sundial::embedding {

/// Knows which threads run a function of the program for one owner, such as a handler for an
/// engine. A call that waits for the owner would wait there for itself.
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
