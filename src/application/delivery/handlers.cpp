#include "application/delivery/handlers.hpp"

#include <exception>
#include <string_view>
#include <utility>

#include "domain/outcome.hpp"

namespace sundial {
namespace {

Outcome not_accepted(Verdict verdict, std::string_view reason) {
    return {.verdict = verdict,
            .status_code = std::nullopt,
            .error = DeliveryErrorCode::worker,
            .error_text = storable_reason(reason),
            .retry_after = std::nullopt,
            .response_body = {}};
}

}  // namespace

void Handlers::on(std::string event_type, Handler handler) {
    by_type_.insert_or_assign(std::move(event_type), std::move(handler));
}

std::vector<std::string> Handlers::types() const {
    std::vector<std::string> all;
    for (const auto& [type, handler] : by_type_) all.push_back(type);
    return all;
}

const Handler* Handlers::find(std::string_view event_type) const {
    const auto found = by_type_.find(event_type);
    return found == by_type_.end() ? nullptr : &found->second;
}

Outcome run_handler(const Handler& handler, const Event& event) {
    try {
        const Handled handled = handler(event);
        if (handled.verdict != Verdict::accepted) {
            return not_accepted(handled.verdict, handled.reason);
        }
        Outcome accepted;
        accepted.verdict = Verdict::accepted;
        return accepted;
    } catch (const std::exception& thrown) {
        return not_accepted(Verdict::retryable, thrown.what());
    } catch (...) {
        return not_accepted(Verdict::retryable, "the handler threw an exception of unknown type");
    }
}

}  // namespace sundial
