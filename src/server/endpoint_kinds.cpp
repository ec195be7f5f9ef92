#include "server/endpoint_kinds.hpp"

#include <memory>
#include <utility>

#include "adapters/sqs/sqs_kind.hpp"
#include "adapters/system/process.hpp"
#include "adapters/webhook/inbox_kind.hpp"
#include "adapters/webhook/own_rules.hpp"
#include "adapters/webhook/webhook_kind.hpp"
#include "application/delivery/shadow_kind.hpp"
#include "application/pull/pull_kind.hpp"

namespace sundial::server {
namespace {

std::vector<webhook::OwnListener> listeners_at(const std::vector<ListenAddress>& listeners) {
    std::vector<webhook::OwnListener> own_listeners;
    for (const ListenAddress& listener : listeners) {
        if (const auto address = webhook::parse_address(listener.host))
            own_listeners.push_back({*address, listener.port});
    }
    return own_listeners;
}

webhook::WebhookKind::Settings webhook_settings(const EndpointKindParts& parts) {
    const Settings::Delivery& delivery = parts.settings.delivery;
    return {
        .destinations = {.allow_http = delivery.allow_http, .ports = delivery.ports},
        .addresses = {.allow = delivery.allow,
                      .deny = delivery.deny,
                      .allow_private = delivery.allow_private},
        .transfer = {.user_agent = delivery.user_agent, .ca_file = delivery.ca_file},
        .listeners = listeners_at(parts.listeners),
        .database = [&database = parts.database] { return listeners_at(database.listens_at()); }};
}

sqs::SenderSettings sqs_settings(const Settings& settings) {
    return {.user_agent = settings.delivery.user_agent, .ca_file = settings.delivery.ca_file};
}

/// The same for all types whose endpoints have a URL.
std::unique_ptr<DestinationRules> destination_rules(const EndpointKindParts& parts) {
    auto its = webhook_settings(parts);
    return std::make_unique<webhook::OwnRules>(std::move(its.destinations), its.addresses,
                                               std::move(its.listeners), std::move(its.database));
}

webhook::InboxKind::Settings inbox_settings(const Settings& settings) {
    return {.allowed = settings.ui.inbox, .user_agent = settings.delivery.user_agent};
}

}  // namespace

EndpointKinds endpoint_kinds(const EndpointKindParts& p) {
    using std::make_unique;
    EndpointKinds kinds;
    kinds.add(
        make_unique<webhook::WebhookKind>(webhook_settings(p), p.secrets, p.monotonic, p.permit));
    kinds.add(
        make_unique<webhook::InboxKind>(inbox_settings(p.settings), p.store, p.secrets, p.ids));
    kinds.add(make_unique<PullKind>());
    kinds.add(make_unique<sqs::SqsKind>(
        sqs_settings(p.settings), destination_rules(p),
        sqs::CredentialWorld{.environment = &system::environment_variable}, p.monotonic, p.permit));
    kinds.add(make_unique<ShadowKind>());
    return kinds;
}

}  // namespace sundial::server
