#include <libical/ical.h>

#include <cstdlib>
#include <ctime>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>

/// Prints the occurrences of an iCalendar text that libical finds: `UID TAB seconds since 1970`.
/// usage: libical_reader FROM TO < FILE      seconds since 1970, inclusive and exclusive
namespace {

struct FreeComponent {
    void operator()(icalcomponent* component) const { icalcomponent_free(component); }
};
struct FreeIterator {
    void operator()(icalrecur_iterator* iterator) const { icalrecur_iterator_free(iterator); }
};

std::time_t instant_of(const icaltimetype& time) {
    return icaltime_as_timet_with_zone(time, time.zone);
}

/// The instants of all properties of one kind.
std::set<std::time_t> instants(icalcomponent* event, icalproperty_kind kind) {
    std::set<std::time_t> found;
    for (icalproperty* property = icalcomponent_get_first_property(event, kind);
         property != nullptr; property = icalcomponent_get_next_property(event, kind)) {
        found.insert(instant_of(icalproperty_get_datetime_with_component(property, event)));
    }
    return found;
}

/// The occurrences of one entry before `to`.
std::set<std::time_t> occurrences(icalcomponent* event, std::time_t to) {
    std::set<std::time_t> found = instants(event, ICAL_RDATE_PROPERTY);
    const icaltimetype start = icalcomponent_get_dtstart(event);
    found.insert(instant_of(start));
    icalproperty* const rule = icalcomponent_get_first_property(event, ICAL_RRULE_PROPERTY);
    if (rule != nullptr) {
        const std::unique_ptr<icalrecur_iterator, FreeIterator> iterator(
            icalrecur_iterator_new(icalproperty_get_rrule(rule), start));
        for (icaltimetype next = icalrecur_iterator_next(iterator.get());
             icaltime_is_null_time(next) == 0; next = icalrecur_iterator_next(iterator.get())) {
            next.zone = start.zone;
            if (instant_of(next) >= to) break;
            found.insert(instant_of(next));
        }
    }
    for (const std::time_t excluded : instants(event, ICAL_EXDATE_PROPERTY)) found.erase(excluded);
    return found;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 3) return EXIT_FAILURE;
    const std::time_t from = std::atoll(arguments[1]), to = std::atoll(arguments[2]);
    icalerror_set_errors_are_fatal(0);
    const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    const std::unique_ptr<icalcomponent, FreeComponent> calendar(
        icalparser_parse_string(text.c_str()));
    if (!calendar || icalcomponent_count_errors(calendar.get()) > 0) return EXIT_FAILURE;
    std::map<std::string, std::set<std::time_t>> found;
    for (const bool moved : {false, true}) {
        for (icalcomponent* event =
                 icalcomponent_get_first_component(calendar.get(), ICAL_VEVENT_COMPONENT);
             event != nullptr;
             event = icalcomponent_get_next_component(calendar.get(), ICAL_VEVENT_COMPONENT)) {
            const auto places = instants(event, ICAL_RECURRENCEID_PROPERTY);
            if (places.empty() == moved) continue;
            auto& instants_of_entry = found[icalcomponent_get_uid(event)];
            for (const std::time_t place : places) instants_of_entry.erase(place);
            instants_of_entry.merge(occurrences(event, to));
        }
    }
    for (const auto& [uid, times] : found) {
        for (const std::time_t time : times) {
            if (time >= from && time < to) std::cout << uid << '\t' << time << '\n';
        }
    }
}
