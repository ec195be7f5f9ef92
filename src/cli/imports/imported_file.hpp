#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/imports/input_bytes.hpp"

/// Files of other schedulers, read entry by entry. No reader computes times: the rules of
/// domain/time do (old_runs.hpp).
namespace sundial::cli {

enum class ImportFormat : std::uint8_t { crontab, pgcron, quartz, eventbridge, ics };

/// The scheduler whose handling of clock changes an entry had.
enum class OldClock : std::uint8_t {
    vixie,        // a fixed time in a gap fires at its end; a wildcard follows real time
    quartz,       // nothing in a gap; only the second pass of an overlap
    eventbridge,  // nothing in a gap; only the first pass of an overlap
    icalendar,    // RFC 5545: nothing in a gap; only the first pass of an overlap
    elapsed,      // an interval, which no clock change affects
};

/// One entry that Sundial can express: the members of `POST /v1/schedules`.
struct ImportedEntry {
    std::size_t line = 0;
    std::string text{};            // as the file has it
    std::string external_id{};     // derived from the entry: the same at the next import
    std::string trigger = "cron";  // cron, rrule or every
    std::string rule{};
    std::string zone{};
    std::string gap{}, overlap{};                       // empty: Sundial's defaults
    std::optional<std::string> starts_at{}, ends_at{};  // local times in `zone`
    bool enabled = true;
    std::string payload = "{}";  // JSON, with doubled braces
    OldClock clock = OldClock::vixie;
};

/// One entry that Sundial cannot express.
struct RefusedEntry {
    std::size_t line = 0;
    std::string text{};
    std::string reason{};
};

struct ImportedFile {
    std::vector<ImportedEntry> entries{};
    std::vector<RefusedEntry> refused{};
    std::vector<std::string> notes{};  // sentences about the whole file
};

struct ReadOptions {
    std::string zone{};      // wins over the file's own; empty: not given
    bool with_user = false;  // crontab: a user stands before the command, as in /etc/crontab
};

[[nodiscard]] ImportedFile read_crontab(std::string_view text, const ReadOptions& options);
/// CSV with a header, or JSON: an export of the table cron.job.
[[nodiscard]] ImportedFile read_pgcron(std::string_view text, const ReadOptions& options);
/// XML (quartz_data), or CSV with a header: an export of QRTZ_CRON_TRIGGERS.
[[nodiscard]] ImportedFile read_quartz(std::string_view text, const ReadOptions& options);
/// JSON: the output of `aws events list-rules` or of `aws scheduler get-schedule`, or an array of
/// such objects.
[[nodiscard]] ImportedFile read_eventbridge(std::string_view text, const ReadOptions& options);
/// VEVENTs of an iCalendar file.
[[nodiscard]] ImportedFile read_ics(std::string_view text, const ReadOptions& options);

/// Cron fields of Quartz and EventBridge as those of Sundial. `fields` has the seconds first;
/// Sunday is 1 there, and 0 here.
struct TranslatedCron {
    std::string rule{};
    std::optional<std::string> starts_at{}, ends_at{};  // local times of the field year
    std::string error{};                                // empty: translated
};
[[nodiscard]] TranslatedCron translate_quartz_cron(const std::vector<std::string>& fields);

// Shared by the readers.

[[nodiscard]] std::vector<std::string> split_words(std::string_view text);
/// Some programs begin a file in UTF-8 with it. It is not a part of the first field.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
/// Rows of fields (RFC 4180), each with the line that it begins on.
struct CsvRow {
    std::size_t line = 0;
    std::vector<std::string> fields{};
};
[[nodiscard]] std::vector<CsvRow> read_csv_rows(std::string_view text);
/// The next of these rows, of a file of any size; false at the end. `line` is that of the next
/// byte. `text` gets the bytes of the row, without the end of its last line. Throws
/// std::runtime_error if a row has more than 1 MiB or a quote without an end: a missing quote makes
/// the rest of a file a row.
bool read_csv_row(InputBytes& in, char delimiter, std::size_t& line, CsvRow& row,
                  std::string& text);
/// `name`-`slug`-`hash of parts`, where the slug is the readable part of `label`.
[[nodiscard]] std::string derived_id(std::string_view name, std::string_view label,
                                     const std::vector<std::string_view>& parts);
/// Members as a JSON object, without those that are empty; doubles the braces in their texts, since
/// payloads are templates.
[[nodiscard]] std::string payload_of(
    const std::vector<std::pair<std::string_view, std::string>>& members);
/// Makes the ids of equal entries unique: the second one ends in -2.
void number_equal_ids(ImportedFile& file);

}  // namespace sundial::cli
