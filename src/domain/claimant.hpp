#pragma once

#include <string>
#include <utility>

#include "domain/ids.hpp"

namespace sundial {

/// The holder of a claim: an instance, or a pull worker that claimed through that instance. An
/// instance converts to a claimant.
struct Claimant {
    InstanceId instance;
    std::string worker;  // the name that the worker gives itself; empty: the instance's own claim

    Claimant(InstanceId itself) : instance(itself) {}
    Claimant(InstanceId asked, std::string name) : instance(asked), worker(std::move(name)) {}
    friend bool operator==(const Claimant&, const Claimant&) = default;
};

/// `claimedBy`: the worker's name, or the instance's id.
[[nodiscard]] inline std::string to_string(const Claimant& claimant) {
    return claimant.worker.empty() ? to_string(claimant.instance) : claimant.worker;
}

}  // namespace sundial
