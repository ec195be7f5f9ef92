#include "application/ports/endpoint_kind.hpp"

#include <algorithm>
#include <utility>

#include "application/ports/failures.hpp"
#include "base/check.hpp"

namespace sundial {

void EndpointKinds::add(std::unique_ptr<EndpointKind> kind) {
    base::check(find(kind->type()) == nullptr);
    kinds_.push_back(std::move(kind));
}

EndpointKind* EndpointKinds::find(const EndpointType& type) const {
    const auto found =
        std::ranges::find(kinds_, type, [](const auto& kind) { return kind->type(); });
    return found == kinds_.end() ? nullptr : found->get();
}

EndpointKind& EndpointKinds::of(const Endpoint& endpoint) const {
    if (EndpointKind* kind = find(endpoint.type)) return *kind;
    throw Corrupt{"endpoint '" + endpoint.name + "' is of type " + endpoint.type.value +
                  ", which this program does not have; it has " + names()};
}

std::string EndpointKinds::names() const {
    std::string names;
    for (const auto& kind : kinds_) {
        if (!names.empty()) names += ", ";
        names += kind->type().value;
    }
    return names;
}

}  // namespace sundial
