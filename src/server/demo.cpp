#include "server/demo.hpp"

#include <array>
#include <iomanip>
#include <ostream>
#include <sstream>

#include "adapters/webhook/inbox_kind.hpp"
#include "base/json.hpp"
#include "domain/time/text.hpp"

namespace sundial::server {
namespace {

using namespace std::chrono_literals;

struct Person {
    const char* external_id;
    const char* first_name;
    const char* last_name;
    const char* date_of_birth;
    const char* timezone;
    const char* greeting;
};

constexpr std::array<Person, 12> people_of_the_demo{{
    {"demo-1", "Ada", "Lind", "1992-02-29", "Europe/Paris", "Bonjour"},
    {"demo-2", "Aroha", "Ngata", "1988-11-21", "Pacific/Auckland", "Kia ora"},
    {"demo-3", "Bikash", "Gurung", "1979-04-14", "Asia/Kathmandu", "Namaste"},
    {"demo-4", "Chioma", "Okafor", "1995-10-01", "Africa/Lagos", "Ndewo"},
    {"demo-5", "Diego", "Rojas", "1984-09-18", "America/Santiago", "Hola"},
    {"demo-6", "Emma", "Tremblay", "2000-06-24", "America/Toronto", "Bonjour"},
    {"demo-7", "Fatima", "Hassan", "1990-07-23", "Africa/Cairo", "Ahlan"},
    {"demo-8", "Grace", "Kealoha", "1972-03-26", "Pacific/Honolulu", "Aloha"},
    {"demo-9", "Hiro", "Tanaka", "1965-12-31", "Asia/Tokyo", "Konnichiwa"},
    {"demo-10", "Ines", "Silva", "1999-04-25", "America/Sao_Paulo", "Olá"},
    {"demo-11", "Jack", "Murray", "1987-01-26", "Australia/Lord_Howe", "G'day"},
    {"demo-12", "Kavya", "Rao", "1993-08-15", "Asia/Kolkata", "Namaskara"},
}};

constexpr std::string_view inbox = "inbox";
constexpr const char* correlation = "sys-demo";

/// The i-th person beyond the twelve. These people cover all zones and all days of the year.
UserFields further_person(std::size_t i, const TzData& zones) {
    const auto names = zones.names();
    const Date day{
        std::chrono::sys_days(std::chrono::year(1960 + static_cast<int>(i % 45)) / 1 / 1) +
        std::chrono::days(i * 37 % 365)};
    UserFields person;
    person.external_id = "demo-" + std::to_string(i + 1);
    person.first_name = "Person";
    person.last_name = std::to_string(i + 1);
    person.date_of_birth = i % 97 == 0 ? "1992-02-29" : format_date(day);
    person.timezone = names[i * 7 % names.size()];
    return person;
}

UserFields fields_of(const Person& person) {
    UserFields fields;
    fields.external_id = person.external_id;
    fields.first_name = person.first_name;
    fields.last_name = person.last_name;
    fields.date_of_birth = person.date_of_birth;
    fields.timezone = person.timezone;
    return fields;
}

/// "43 ms", "1.3 s", "2 h 5 min".
std::string in_words(std::chrono::microseconds duration) {
    std::ostringstream text;
    const auto millis = std::chrono::floor<std::chrono::milliseconds>(duration);
    if (millis < 1s) {
        text << millis.count() << " ms";
    } else if (millis < 100s) {
        text << std::fixed << std::setprecision(1) << static_cast<double>(millis.count()) / 1000
             << " s";
    } else {
        const auto minutes = std::chrono::floor<std::chrono::minutes>(millis);
        if (minutes >= 1h) text << minutes.count() / 60 << " h ";
        text << minutes.count() % 60 << " min";
    }
    return text.str();
}

}  // namespace

Demo::Demo(CreateUser& create_user, CreateEndpoint& create_endpoint, EditSchedule& edit_schedule,
           ScheduleEvent& schedule_event)
    : create_user_(create_user),
      create_endpoint_(create_endpoint),
      edit_schedule_(edit_schedule),
      schedule_event_(schedule_event) {}

void Demo::make_inbox() {
    NewEndpoint requested{.type = webhook::inbox_type};
    requested.external_id = inbox;
    requested.name = "Demo inbox";
    if (!create_endpoint_.run(requested, correlation)) return;  // it already exists
    ScheduleFields edit;
    edit.endpoint = "ext:" + std::string(inbox);
    (void)edit_schedule_.run("ext:birthday", edit, std::nullopt, correlation);
}

std::size_t Demo::populate(std::size_t people, const TimeZones& zones) {
    make_inbox();
    std::size_t made = 0;
    for (std::size_t i = 0; i < std::max(people, people_of_the_demo.size()); ++i) {
        const UserFields person = i < people_of_the_demo.size()
                                      ? fields_of(people_of_the_demo[i])
                                      : further_person(i, *zones.current());
        if (create_user_.run(person, correlation)) ++made;
    }
    return made;
}

void Demo::greet() {
    auto wait = 3s;
    for (const Person& person : people_of_the_demo) {
        base::JsonWriter payload;
        payload.begin_object();
        payload.member("message", std::string(person.greeting) + ", " + person.first_name + "!")
            .end_object();
        NewEvent greeting;
        greeting.event_type = "GREETING";
        greeting.user = std::string("ext:") + person.external_id;
        greeting.endpoint = "ext:" + std::string(inbox);
        greeting.target.utc = "now+" + std::to_string(wait.count()) + "s";
        greeting.target.zone = person.timezone;
        greeting.payload = std::move(payload).text();
        (void)schedule_event_.run(greeting);  // fails only if a caller has deleted the person
        wait += 3s;
    }
}

void DeliveryPrinter::delivered(const AttemptEnded& attempt_ended) {
    if (attempt_ended.outcome.verdict != Verdict::accepted) return;
    const Event& event = attempt_ended.event;
    const auto zone = zones_.find(event.intent.zone);
    std::string person = "-";
    if (event.user) {
        const auto user =
            in_read(store_, [&](Transaction& tx) { return tx.users().find(*event.user); });
        if (user) person = user->first_name + ' ' + user->last_name;
    }
    const Instant at = target_of(event) + attempt_ended.lateness;
    std::ostringstream line;
    line << (zone ? format_local_millis(at, **zone) : format_instant_millis(at)) << "  "
         << std::left << std::setw(20) << event.intent.zone << ' ' << format_instant_millis(at)
         << "  " << std::setw(14) << person << ' ' << std::setw(10) << event.type
         << in_words(attempt_ended.lateness) << " late\n";
    out_ << line.str() << std::flush;
}

}  // namespace sundial::server
