#include "application/ports/endpoint_kind.hpp"

#include <algorithm>
#include <iterator>
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

std::optional<FieldError> EndpointKinds::refuse_payload(const Endpoint& endpoint,
                                                        const char* pointer,
                                                        std::string_view payload) const {
    const EndpointKind* kind = find(endpoint.type);
    auto reason = kind == nullptr ? std::nullopt : kind->refuse_payload(payload);
    if (!reason) return std::nullopt;
    return FieldError{pointer, "not_allowed", *std::move(reason)};
}

EndpointKind* EndpointKinds::of_pings() const {
    const auto found =
        std::ranges::find_if(kinds_, [](const auto& kind) { return kind->sends_pings(); });
    return found == kinds_.end() ? nullptr : found->get();
}

std::optional<FieldError> EndpointKinds::refuse_ping(const char* pointer,
                                                     const std::string& url) const {
    const EndpointKind* kind = of_pings();
    if (kind == nullptr) return FieldError{pointer, "not_allowed", "this program sends no pings"};
    auto defects = kind->refuse_edit({.url = url});
    if (defects.empty()) return std::nullopt;
    defects.front().pointer = pointer;
    return std::move(defects.front());
}

std::vector<std::string> EndpointKinds::options() const {
    std::vector<std::string> all;
    for (const auto& kind : kinds_) std::ranges::move(kind->options(), std::back_inserter(all));
    std::ranges::sort(all);
    all.erase(std::ranges::unique(all).begin(), all.end());
    return all;
}

std::string EndpointKinds::names() const {
    std::string names;
    for (const auto& kind : kinds_) {
        if (!names.empty()) names += ", ";
        names += kind->type().value;
    }
    return names;
}

std::vector<FieldError> refuse_foreign_options(const EndpointKind& kind,
                                               const TypeSettings& given) {
    const std::vector<std::string> own = kind.options();
    std::vector<FieldError> found;
    for (const auto& [name, value] : given.options) {
        if (std::ranges::find(own, name) != own.end()) continue;
        found.push_back({"/" + name, "not_allowed",
                         "endpoints of type " + kind.type().value + " have no " + name});
    }
    return found;
}

}  // namespace sundial
