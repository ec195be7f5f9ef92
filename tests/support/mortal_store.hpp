#pragma once

#include <cstdint>
#include <functional>

#include "application/ports/store.hpp"

namespace sundial {

/// Ends the process. Not a std::exception, so that no handler catches it.
struct Killed {};

/// Counts the steps of a process, and kills it at the chosen one.
class Death {
public:
    void in_steps(std::uint64_t steps) { left_ = steps; }
    void step() {
        if (left_ > 0 && --left_ == 0) throw Killed{};
    }

private:
    std::uint64_t left_ = 0;  // 0: never
};

/// Wraps a store for a process that may die before a transaction, within it, between its last
/// statement and its commit, or before the response arrives.
class MortalStore final : public Store {
public:
    MortalStore(Store& store, Death& death) : store_(store), death_(death) {}
    void transact(const std::function<bool(Transaction&)>& work) override {
        death_.step();
        store_.transact([&](Transaction& tx) {
            const bool keep = work(tx);
            death_.step();
            return keep;
        });
        death_.step();
    }
    void read(const std::function<void(Transaction&)>& work) override {
        death_.step();
        store_.read(work);
    }
    [[nodiscard]] bool open_here() override { return store_.open_here(); }

private:
    Store& store_;
    Death& death_;
};

}  // namespace sundial
