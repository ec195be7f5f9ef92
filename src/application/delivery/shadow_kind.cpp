#include "application/delivery/shadow_kind.hpp"

#include <utility>

namespace sundial {

std::vector<FieldError> ShadowKind::refuse_new(const TypeSettings& given) const {
    std::vector<FieldError> found;
    const auto refuse = [&found](bool is_given, const char* pointer, const char* message) {
        if (is_given) found.push_back({pointer, "not_allowed", message});
    };
    refuse(given.url.has_value(), "/url", "nothing is sent to a SHADOW endpoint: it has no URL");
    refuse(given.secret, "/secret", "nothing is sent to a SHADOW endpoint: it has no secret");
    refuse(given.headers, "/headers", "nothing is sent to a SHADOW endpoint: it has no headers");
    refuse(given.ed25519, "/ed25519", "nothing is sent to a SHADOW endpoint: it has no keys");
    refuse(given.format != BodyFormat::raw, "/format",
           "nothing is sent to a SHADOW endpoint: it has the format RAW");
    return found;
}

void ShadowKind::AcceptAll::start(DeliveryRequest /*request*/, std::function<void(Outcome)> done) {
    Outcome accepted;
    accepted.verdict = Verdict::accepted;
    done(std::move(accepted));
}

}  // namespace sundial
