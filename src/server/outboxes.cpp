#include "server/outboxes.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include "adapters/postgres/open.hpp"
#include "adapters/sqlite/open.hpp"
#include "adapters/system/clocks.hpp"
#include "application/ports/failures.hpp"
#include "documents.hpp"
#include "server/database.hpp"

namespace sundial::server {
namespace {

std::string setting_of(const IntakeSetting& intake) { return "storage.intake " + intake.name; }

bool is_same_file(const std::string& a, const std::string& b) {
    std::error_code failure;
    return std::filesystem::weakly_canonical(a, failure) ==
           std::filesystem::weakly_canonical(b, failure);
}

std::unique_ptr<Outbox> open_outbox(const IntakeSetting& intake, base::Log& log) {
    if (const auto file = sqlite_file(intake.url))
        return sqlite::open_outbox(*file, system::real_time);
    return postgres::open_outbox(intake.url, log);
}

}  // namespace

void check_intakes(const Settings& settings) {
    const auto own = sqlite_file(settings.storage.url);
    for (const IntakeSetting& intake : settings.storage.intake) {
        const auto file = sqlite_file(intake.url);
        if (!file) {
            postgres::check_url(intake.url, setting_of(intake));
        } else if (own && is_same_file(*own, *file)) {
            throw CannotStart(setting_of(intake) +
                              " is Sundial's own database file (storage.url), which no other "
                              "program may open. Keep the outbox in the application's file");
        }
    }
}

Outboxes::Outboxes(const Settings& settings, InstanceId instance, bool alone, const Ports& ports)
    : log_(ports.log) {
    if (settings.storage.intake.empty()) return;
    requests_.emplace(openapi_json);
    for (const IntakeSetting& intake : settings.storage.intake) {
        FollowOutbox::Source source{.name = intake.name,
                                    .place = base::redacted(intake.url),
                                    .outbox = open_outbox(intake, ports.log)};
        followed_.push_back({.follower = std::make_unique<FollowOutbox>(
                                 std::move(source), instance, alone,
                                 FollowOutbox::Ports{.store = ports.store,
                                                     .requests = *requests_,
                                                     .schedule_event = ports.schedule_event,
                                                     .create_schedule = ports.create_schedule,
                                                     .put_schedule = ports.put_schedule,
                                                     .create_user = ports.create_user,
                                                     .put_user = ports.put_user,
                                                     .monotonic = ports.monotonic,
                                                     .log = ports.log}),
                             .signal = std::make_unique<IntakeSignal>()});
    }
}

void Outboxes::look() {
    for (const Followed& one : followed_) {
        try {
            while (one.follower->look()) {
            }
        } catch (const Unavailable& error) {
            log_.write(
                {.level = base::LogLevel::warn,
                 .event_name = {},
                 .message = std::string{"an outbox cannot be read; its rows wait: "} + error.what(),
                 .correlation_id = {},
                 .fields = {}});
        }
    }
}

void Outboxes::start(std::chrono::microseconds tick) {
    for (Followed& one : followed_) {
        one.thread = std::thread([&one, tick] { one.follower->watch(*one.signal, tick); });
    }
}

void Outboxes::stop() {
    for (Followed& one : followed_) one.signal->stop();
    for (Followed& one : followed_) {
        if (one.thread.joinable()) one.thread.join();
        one.follower->hand_over();
    }
}

http::HealthCheck intakes_check(const Settings& settings, Queries& queries) {
    std::string lost;
    for (const OutboxState& state : queries.intakes(std::nullopt, 500).page.items) {
        const auto& named = settings.storage.intake;
        if (state.failure.empty() ||
            std::ranges::find(named, state.name, &IntakeSetting::name) == named.end()) {
            continue;
        }
        lost += (lost.empty() ? "" : "; ") + state.name;
    }
    if (lost.empty()) return {"intakes"};
    return {"intakes", http::HealthCheck::Status::warn,
            "outboxes that cannot be read: " + lost + "; 'sundial intake list' says why"};
}

}  // namespace sundial::server
