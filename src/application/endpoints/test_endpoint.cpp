#include "application/endpoints/test_endpoint.hpp"

#include <future>
#include <memory>
#include <string>
#include <utility>

#include "application/audit/action_audit.hpp"
#include "application/requests/queries.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

Event test_event(const Endpoint& endpoint, Ids& ids, Instant now) {
    const IdempotencyKey key = ids.random_key();
    return Event{.id = ids.event_id(key),
                 .key = key,
                 .type = "sundial.test",
                 .user = std::nullopt,
                 .endpoint = endpoint.id,
                 .occurrence = std::nullopt,
                 .intent = {.wall = std::nullopt},
                 .due = now,
                 .tz_release = {},
                 .payload = R"({"message":"A test delivery from Sundial. Nothing has happened."})",
                 .claimable_at = never,
                 .attempt = Attempt{1},
                 .retry_of = std::nullopt,
                 .first_attempt_at = now,
                 .dismissed_at = std::nullopt,
                 .created_at = now,
                 .updated_at = now,
                 .state = Processing{std::nullopt}};
}

}  // namespace

EndpointResult<TestDelivery> TestEndpoint::run(std::string_view reference, const Caller& caller) {
    struct Subject {
        Endpoint endpoint;
        Delivery& delivery;
        Instant now;
    };
    auto subject = in_transaction(store_, [&](Transaction& tx) -> EndpointResult<Subject> {
        const auto id = endpoint_id(tx, reference);
        if (!id) return id.error();
        auto endpoint = tx.endpoints().find(*id);
        if (!endpoint) return NotFound{Noun::endpoint, std::string{reference}};
        const auto kind = kinds_.of(*endpoint);
        if (!kind) return kind.error();
        Delivery* delivery = (*kind)->delivery();
        if (delivery == nullptr) {
            return invalid("", "not_allowed",
                           "nothing is sent to a " + endpoint->type.value +
                               " endpoint; claim an event with a worker to test it");
        }
        if (!endpoint->enabled) {
            return EndpointDisabled{*id, endpoint->disabled_reason.value_or("disabled")};
        }
        record_on_endpoint(tx, *id, EndpointAction::test, {caller, ids_.fresh()});
        return Subject{*std::move(endpoint), *delivery, tx.now()};
    });
    if (!subject) return subject.error();

    const Event event = test_event(subject->endpoint, ids_, subject->now);
    const auto answered = std::make_shared<std::promise<Outcome>>();
    auto outcome = answered->get_future();
    DeliveryRequest request{
        .event = event,
        .endpoint = std::make_shared<const Endpoint>(std::move(subject->endpoint)),
        .target_time = format_instant(subject->now) + "[UTC]",
        .now = subject->now};
    subject->delivery.start(std::move(request),
                            [answered](Outcome result) { answered->set_value(std::move(result)); });
    return TestDelivery{event, outcome.get()};
}

}  // namespace sundial
