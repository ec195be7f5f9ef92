#include "embedded/own_process.hpp"

#include <string>

#include "adapters/system/process.hpp"

namespace sundial::embedding {

OwnProcess::OwnProcess() : id_(system::process_id()) {}

bool OwnProcess::forked() const { return system::process_id() != id_; }

Error OwnProcess::error() const {
    return {"WRONG_PROCESS", "the engine belongs to process " + std::to_string(id_) +
                                 ", which forked this one; open another engine here"};
}

}  // namespace sundial::embedding
