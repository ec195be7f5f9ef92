#pragma once

#include <functional>
#include <utility>

#include "application/ports/store.hpp"

namespace sundial {

/// A store in which others work after the first read transaction.
class InterruptedStore final : public Store {
public:
    InterruptedStore(Store& store, std::function<void()> others)
        : store_{store}, others_{std::move(others)} {}

    void transact(const std::function<bool(Transaction&)>& work) override { store_.transact(work); }
    void read(const std::function<void(Transaction&)>& work) override {
        store_.read(work);
        if (const auto others = std::exchange(others_, nullptr)) others();
    }
    [[nodiscard]] bool open_here() override { return store_.open_here(); }

private:
    Store& store_;
    std::function<void()> others_;
};

}  // namespace sundial
