#pragma once

#include <string>
#include <utility>

#include "domain/ids.hpp"

namespace sundial {

/// Whose claim it is: that of an instance, or that of a pull worker who asked the instance for
/// work. An instance stands for itself wherever a claimant is asked for.
struct Claimant {
    InstanceId instance;
    std::string worker;  // the name that it gives itself; empty: the instance's own claim

    Claimant(InstanceId itself) : instance(itself) {}
    Claimant(InstanceId asked, std::string name) : instance(asked), worker(std::move(name)) {}
    friend bool operator==(const Claimant&, const Claimant&) = default;
};

/// `claimedBy`: the worker's name, or the instance's id.
[[nodiscard]] inline std::string to_string(const Claimant& claimant) {
    return claimant.worker.empty() ? to_string(claimant.instance) : claimant.worker;
}

}  // namespace sundial
