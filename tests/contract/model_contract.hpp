#pragma once

#include <memory>
#include <tuple>

#include "contract/storage.hpp"

namespace sundial {

/// Runs the same random operations on the adapter and on memory, which is the model. Both must give
/// the same answers and end with the same events and attempts. A number seeds each run.
class ModelContract : public testing::TestWithParam<std::tuple<StorageKind, unsigned>> {
protected:
    std::unique_ptr<Storage> subject = std::get<0>(GetParam()).open();
};

}  // namespace sundial
