#include <libical/ical.h>

#include <cstddef>
#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

/// Prints the answers of libical to recurrence rules, without zones. Reads lines `start TAB end TAB
/// count TAB rule` and writes one line for each: the first `count` occurrences up to `end`,
/// separated by blanks, or `refused`.
namespace {

struct FreeIterator {
    void operator()(icalrecur_iterator* iterator) const { icalrecur_iterator_free(iterator); }
};

std::string compact(const icaltimetype& time) {
    char text[32];
    std::snprintf(text, sizeof text, "%04d%02d%02dT%02d%02d%02d", time.year, time.month, time.day,
                  time.hour, time.minute, time.second);
    return text;
}

std::string answer(const std::string& start, const std::string& end, std::size_t count,
                   const std::string& text) {
    const icalrecurrencetype rule = icalrecurrencetype_from_string(text.c_str());
    if (rule.freq == ICAL_NO_RECURRENCE) return "refused";
    const std::unique_ptr<icalrecur_iterator, FreeIterator> occurrences(
        icalrecur_iterator_new(rule, icaltime_from_string(start.c_str())));
    if (!occurrences) return "refused";
    const icaltimetype last = icaltime_from_string(end.c_str());
    std::string found;
    for (std::size_t i = 0; i < count; ++i) {
        const icaltimetype time = icalrecur_iterator_next(occurrences.get());
        if (icaltime_is_null_time(time) != 0 || icaltime_compare(time, last) > 0) break;
        found += (found.empty() ? "" : " ") + compact(time);
    }
    return found;
}

}  // namespace

int main() {
    icalerror_set_errors_are_fatal(0);
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream fields(line);
        std::string start, end, rule;
        std::size_t count = 0;
        fields >> start >> end >> count >> rule;
        std::cout << answer(start, end, count, rule) << std::endl;
    }
}
