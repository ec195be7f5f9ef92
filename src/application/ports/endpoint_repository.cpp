#include "application/ports/endpoint_repository.hpp"

#include "domain/enum_names.hpp"

namespace sundial {
namespace {

constexpr EnumNames<3> signature_state_names{"MISSING", "INVALID", "VALID"};

}  // namespace

std::string_view to_string(SignatureState state) { return name_in(signature_state_names, state); }

std::optional<std::string_view> secret_of(const SignatureCheck& check) {
    if (check.state != SignatureState::valid) return std::nullopt;
    return check.by_newest ? "CURRENT" : "PREVIOUS";
}

}  // namespace sundial
