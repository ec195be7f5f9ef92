#include "application/ports/intake_repository.hpp"

#include <memory>
#include <string>
#include <vector>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/intake_sql.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/rows.hpp"

namespace sundial::postgres {
namespace {

using Text = std::optional<std::string>;

template <class Parse>
auto named(const Row& row, const char* column, Parse parse) -> decltype(parse(std::string_view{})) {
    const auto text = row.get<Text>(column);
    return text ? parse(*text) : std::nullopt;
}

/// An absent member and null mean the default.
Edit<std::string> edit_in(const Row& row, const char* column) {
    const auto text = row.get<Text>(column);
    return text ? Edit<std::string>{text} : Edit<std::string>{};
}

TriggerFields trigger_in_intake(const Row& row) {
    TriggerFields fields;
    if (row.get<std::optional<bool>>("yearly").value_or(false)) {
        fields.yearly = YearlyFields{row.get<Text>("yearly_on"), row.get<Text>("yearly_at")};
    }
    fields.cron = row.get<Text>("cron");
    fields.every = row.get<Text>("every");
    if (row.get<std::optional<bool>>("has_rrule").value_or(false)) {
        const auto ical = row.get<Text>("ical");
        fields.rrule = RruleTrigger{.ical = ical.value_or(""),
                                    .dtstart = row.get<Text>("dtstart").value_or(""),
                                    .rrule = row.get<Text>("rrule"),
                                    .rdate = row.get<std::vector<std::string>>("rdates"),
                                    .exdate = row.get<std::vector<std::string>>("exdates")};
    }
    return fields;
}

ScheduleFields schedule_fields_in(const Row& row) {
    ScheduleFields fields;
    fields.event_type = row.get<Text>("event_type");
    fields.priority = named(row, "priority", parse_priority);
    fields.enabled = row.get<std::optional<bool>>("enabled");
    fields.note = edit_in(row, "note");
    fields.trigger = trigger_in_intake(row);
    fields.per_user = row.get<std::optional<bool>>("per_user");
    fields.timezone = edit_in(row, "timezone");
    fields.endpoint = edit_in(row, "endpoint");
    fields.payload = row.get<Text>("payload");
    fields.gap = named(row, "gap", gap_policy);
    fields.overlap = named(row, "overlap", overlap_policy);
    fields.leap = named(row, "leap", leap_policy);
    fields.misfire = named(row, "misfire", misfire_policy);
    fields.window = edit_in(row, "misfire_window");
    fields.grace = row.get<Text>("grace");
    const auto limit = row.get<std::optional<std::int32_t>>("misfire_limit");
    if (limit) fields.limit = static_cast<std::uint32_t>(*limit);
    fields.concurrency = named(row, "concurrency", parse_concurrency);
    fields.jitter = row.get<Text>("jitter");
    fields.starts_at = edit_in(row, "starts_at");
    fields.ends_at = edit_in(row, "ends_at");
    return fields;
}

/// Only what the planner compares.
std::optional<User> user_before(const Row& row, UserId id) {
    if (!row.get<bool>("has_before")) return std::nullopt;
    User user{.id = id,
              .external_id = std::nullopt,
              .first_name = {},
              .last_name = {},
              .date_of_birth = row.get<Date>("before_birth"),
              .timezone = row.get<std::string>("before_zone"),
              .dates = {},
              .metadata = {},
              .created_at = {},
              .updated_at = {}};
    const auto names = row.get<std::vector<std::string>>("date_names");
    const auto dates = row.get<std::vector<Date>>("date_values");
    for (std::size_t i = 0; i < names.size(); ++i) user.dates.emplace(names[i], dates[i]);
    return user;
}

intake::Wanted wanted_in(const Row& row) {
    const auto kind = row.get<std::string>("kind");
    const auto subject = row.get<EventId>("subject").value;
    if (kind == "EVENT") return intake::ResolveEvent{EventId{subject}};
    if (kind == "CHAIN") return intake::ContinueChain{EventId{subject}};
    if (kind == "OCCURRENCE") return intake::JudgeOccurrence{EventId{subject}};
    if (kind == "USER") {
        return intake::PlanUser{UserId{subject}, user_before(row, UserId{subject})};
    }
    if (kind == "SCHEDULE") {
        return intake::PutSchedule{ScheduleId{subject}, row.get<std::string>("name"),
                                   schedule_fields_in(row)};
    }
    if (kind == "UNSCHEDULE") return intake::DeleteSchedule{row.get<std::string>("name")};
    throw Corrupt{"the intake has a request of unknown kind '" + kind + "'"};
}

IntakeRequest request_in(const Row& row) {
    return {.number = row.get<std::int64_t>("number"),
            .wanted = wanted_in(row),
            .correlation_id = row.get<std::string>("correlation_id"),
            .actor = row.get<std::string>("actor")};
}

class PostgresIntakeRepository final : public IntakeRepository {
public:
    explicit PostgresIntakeRepository(Session& session) : session_{session} {}

    bool any_waiting() override { return session_.run(sql::any_intake).get<bool>(0, 0); }

    std::vector<IntakeRequest> take(std::size_t limit) override {
        if (!session_.run(sql::lead_intake).get<bool>(0, 0)) return {};
        return each_row(session_.run(sql::take_intake, static_cast<std::int64_t>(limit)),
                        request_in);
    }

    void remove(std::span<const std::int64_t> numbers) override {
        if (numbers.empty()) return;
        session_.run(sql::remove_intake, std::vector<std::int64_t>(numbers.begin(), numbers.end()));
    }

    void refuse(std::int64_t number, const Refusal& why) override {
        session_.run(sql::refuse_intake, number, why.code, why.detail, session_.now());
    }

    void keep_as_done(std::int64_t number) override { session_.run(sql::intake_is_done, number); }

private:
    Session& session_;
};

}  // namespace

std::unique_ptr<IntakeRepository> make_intake_repository(Session& session) {
    return std::make_unique<PostgresIntakeRepository>(session);
}

}  // namespace sundial::postgres
