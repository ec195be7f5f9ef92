#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rrule_answers.hpp"

/// An iCalendar text of a recurring event, after a byte that selects zones and policies.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace sundial;
    if (size == 0) return 0;
    const auto set = read_icalendar({reinterpret_cast<const char*>(data) + 1, size - 1}, "Zone");
    if (set) {
        check_set(*set, data[0]);
    } else {
        check_error(set.error());
    }
    return 0;
}
