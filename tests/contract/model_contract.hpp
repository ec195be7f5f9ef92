#pragma once

#include <memory>
#include <tuple>
#include <vector>

#include "contract/storage.hpp"

namespace sundial {

/// Runs the same random operations on the adapter and on memory, which is the model. Both must give
/// the same answers and end with the same events and attempts. A number seeds each run.
class ModelContract : public testing::TestWithParam<std::tuple<StorageKind, unsigned>> {
protected:
    std::unique_ptr<Storage> subject = std::get<0>(GetParam()).open();
};

/// Five seeds, dealt out among the kinds of one adapter: each seed runs on one kind. With the
/// variable SUNDIAL_MODEL=all each seed runs on every kind.
std::vector<std::tuple<StorageKind, unsigned>> model_runs(const std::vector<StorageKind>& kinds);

}  // namespace sundial
