#pragma once

#include <cstdint>
#include <functional>

#include "application/ports/store.hpp"

namespace sundial {

/// The process is no more. No std::exception: nobody catches it.
struct Killed {};

/// Counts the steps that somebody takes, and dies at the one that was chosen.
class Death {
public:
    void in_steps(std::uint64_t steps) { left_ = steps; }
    void step() {
        if (left_ > 0 && --left_ == 0) throw Killed{};
    }

private:
    std::uint64_t left_ = 0;  // 0: lives on
};

/// Another store, used by somebody who may die before a transaction, in it, between its last
/// statement and its commit, or before the answer has come.
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
