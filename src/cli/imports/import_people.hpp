#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>

#include "application/ports/time_zones.hpp"
#include "cli/http_client.hpp"
#include "cli/imports/people_file.hpp"
#include "cli/output.hpp"
#include "domain/time/types.hpp"

namespace sundial::cli {

/// `sundial import csv` and `ndjson`.
struct PeopleImport {
    PeopleFormat format = PeopleFormat::csv;
    PeopleOptions read{};
    std::string name{};        // of the file, for messages
    std::uint64_t bytes = 0;   // of the file, for the time that is left; 0: unknown
    std::string errors{};      // file for refused rows; empty: none
    std::string progress{};    // file that stores the progress of the import; empty: none
    std::size_t requests = 4;  // concurrent ones
    std::size_t rows = 1000;   // per request
    bool dry_run = false;      // checks the rows with this machine's tz database, sends nothing
};

/// Creates or replaces the people of `in` by their external ids, which each row must have; so to
/// import a file again is harmless. A refused row does not affect the others. It goes to the file
/// of errors: a JSON object per line with `line`, `message`, `problem` (of the API, if it refused
/// the row) and `row`. The rows of both files are in the order of `in`, and the file of progress
/// covers whole requests only, so an interrupted import, even a killed one, goes on where the last
/// answered request ended. Returns 0 if all are stored, 7 if rows were refused, 130 if
/// interrupted. Throws BadArgument, Unreachable.
[[nodiscard]] int import_people(const HttpClient& client, const PeopleImport& order,
                                std::istream& in, const TzData& zones, Instant now,
                                const WaitOptions& wait_options, const Output& output);

}  // namespace sundial::cli
