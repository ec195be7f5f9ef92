#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rrule_answers.hpp"

/// A recurrence rule, after a byte that selects zone and policies and one that selects DTSTART.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace sundial;
    if (size < 2) return 0;
    // Near changes of the zones, on a leap day, and at the limits of the calendar.
    constexpr std::array<std::string_view, 8> starts{
        "20260307T023000", "20261101T013000", "20111229T090000", "20240229T235959",
        "19970902T090000", "00010101T120000", "99991231T120000", "20251231T000000"};
    const std::string_view text{reinterpret_cast<const char*>(data) + 2, size - 2};
    const auto set = read_recurrence({.dtstart = starts.at(data[1] % starts.size()),
                                      .zone = "Zone",
                                      .rrule = text,
                                      .rdates = {},
                                      .exdates = {}});
    if (set) {
        check_set(*set, data[0]);
    } else {
        check_error(set.error());
    }
    return 0;
}
