#include "adapters/webhook/webhook_kind.hpp"

#include <utility>

namespace sundial::webhook {

std::vector<FieldError> WebhookKind::refuse_new(const TypeSettings& given) const {
    if (given.url) return refuse_edit(given);
    return {{"/url", "required", "a WEBHOOK needs the URL that it posts to"}};
}

std::vector<FieldError> WebhookKind::refuse_edit(const TypeSettings& given) const {
    std::vector<FieldError> found;
    if (!given.url) return found;
    if (auto refused = urls_.refuse(*given.url)) found.push_back(*std::move(refused));
    return found;
}

}  // namespace sundial::webhook
