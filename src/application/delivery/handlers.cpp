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

void Handlers::on(std::string event_type, Handler handler, const HandlerTerms& terms) {
    by_type_.insert_or_assign(std::move(event_type), Entry{std::move(handler), terms});
}

std::vector<std::string> Handlers::types() const {
    std::vector<std::string> all;
    for (const auto& [type, entry] : by_type_) all.push_back(type);
    return all;
}

const Handler* Handlers::find(std::string_view event_type) const {
    const auto found = by_type_.find(event_type);
    return found == by_type_.end() ? nullptr : &found->second.handler;
}

HandlerTerms Handlers::terms(std::string_view event_type) const {
    const auto found = by_type_.find(event_type);
    return found == by_type_.end() ? HandlerTerms{} : found->second.terms;
}

std::vector<HandlerPool> Handlers::pools(std::size_t shared) const {
    std::vector<HandlerPool> all;
    HandlerPool common{.lanes = {}, .limit = shared, .ahead = true};
    for (const auto& [type, entry] : by_type_) {
        // Each thread finds its next event waiting.
        if (entry.terms.threads > 0) {
            all.push_back({{Lane{type}}, 2 * entry.terms.threads});
        } else {
            common.lanes.emplace_back(type);
        }
    }
    if (!common.lanes.empty()) all.push_back(std::move(common));
    return all;
}

Outcome run_handler(const Handler& handler, const Event& event, const std::stop_token& stop) {
    try {
        const Handled handled = handler(event, stop);
        if (handled.again_at) {
            Outcome snoozed;
            snoozed.again_at = handled.again_at;
            return snoozed;
        }
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
