#include "cli/shadow/run_log.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "cli/imports/imported_file.hpp"
#include "cli/output.hpp"
#include "domain/time/text.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr std::string_view log_blanks = " \t\r";
/// Lines of a log may be out of order by this time: two jobs that start together.
constexpr std::chrono::minutes log_disorder{1};

bool all_digits(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, base::is_digit);
}

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (!all_digits(text) || read.ec != std::errc{}) return std::nullopt;
    return number;
}

/// Seconds or milliseconds since 1970: milliseconds from 1e11 on, which is year 5138 in seconds.
std::optional<Instant> epoch_time(std::string_view text) {
    constexpr std::int64_t first_millis = 100'000'000'000;
    constexpr std::int64_t last_millis = 250'000'000'000'000;  // year 9892
    const auto number = whole_number(text);
    if (!number || *number > last_millis) return std::nullopt;
    if (*number >= first_millis) return Instant{std::chrono::milliseconds{*number}};
    return Instant{std::chrono::seconds{*number}};
}

/// The time as RFC 3339 writes it: PostgreSQL has a blank before the time, and offsets such as +00;
/// journalctl has +0100; others end in UTC.
std::string as_rfc3339(std::string_view text) {
    std::string time(text);
    constexpr std::size_t end_of_date = 10;
    if (time.size() > end_of_date && time[end_of_date] == ' ') time[end_of_date] = 'T';
    if (time.ends_with(" UTC")) return time.substr(0, time.size() - 4) + 'Z';
    const auto sign = time.find_last_of("+-");
    if (sign == std::string::npos || sign <= end_of_date) return time;
    const std::string_view offset = std::string_view(time).substr(sign + 1);
    if (offset.size() == 2 && all_digits(offset)) return time + ":00";
    if (offset.size() == 4 && all_digits(offset)) return time.insert(sign + 3, ":");
    return time;
}

class RunLogReader {
public:
    RunLogReader(const RunLogOptions& options, const Zone& zone, Instant now)
        : options_(options), zone_(zone), now_(now) {}

    RunLog read(std::string_view text) {
        if (options_.format == RunLogFormat::csv) {
            read_csv(text);
            return std::move(log_);
        }
        std::size_t number = 0;
        while (!text.empty()) {
            const auto end = std::min(text.find('\n'), text.size());
            const std::string_view line = base::trimmed(text.substr(0, end), log_blanks);
            text.remove_prefix(std::min(end + 1, text.size()));
            ++number;
            if (line.empty()) continue;
            options_.format == RunLogFormat::ndjson ? read_json(number, line)
                                                    : read_syslog(number, line);
        }
        return std::move(log_);
    }

private:
    void read_csv(std::string_view text) {
        const std::vector<CsvRow> rows = read_csv_rows(text);
        if (rows.empty()) throw BadArgument("the log is empty; CSV has a header");
        const auto column = [&](const std::string& name) {
            const auto& names = rows.front().fields;
            const auto found = std::ranges::find(names, name);
            if (found == names.end())
                throw BadArgument("the header has no column '" + name +
                                  "'; name it with --time-column or --name-column");
            return static_cast<std::size_t>(found - names.begin());
        };
        const std::size_t time = column(options_.time_column), name = column(options_.name_column);
        for (std::size_t i = 1; i < rows.size(); ++i) {
            const CsvRow& row = rows[i];
            if (row.fields.size() <= std::max(time, name)) {
                refuse(row.line, "has only " + std::to_string(row.fields.size()) + " fields");
            } else {
                add(row.line, row.fields[time], row.fields[name]);
            }
        }
    }

    void read_json(std::size_t number, std::string_view line) {
        json::error_code wrong;
        const json::value row = json::parse(line, wrong);
        if (wrong || !row.is_object()) return refuse(number, "is not an object of JSON");
        add(number, text_of(row.get_object(), options_.time_column),
            text_of(row.get_object(), options_.name_column));
    }

    /// `Nov 28 18:17:01 host CRON[712]: (root) CMD (command)`, or with an ISO 8601 time.
    void read_syslog(std::size_t number, std::string_view line) {
        constexpr std::string_view begin_of_command = ") CMD (";
        const auto command = line.find(begin_of_command);
        const auto user = line.rfind('(', command);
        if (command == std::string_view::npos || user == std::string_view::npos ||
            !line.ends_with(')'))
            return;
        std::string_view head = line.substr(0, user);
        if (head.find("CRON") == head.npos && head.find("cron") == head.npos) return;
        const std::string_view name = line.substr(command + begin_of_command.size());
        LoggedRun run{.line = number};
        run.name = base::trimmed(name.substr(0, name.size() - 1), log_blanks);
        run.user = line.substr(user + 1, command - user - 1);
        if (!options_.user.empty() && run.user != options_.user) return;
        const auto at = base::is_digit(head.front()) ? time_in(head.substr(0, head.find(' ')))
                                                     : time_without_year(head);
        if (!at) return refuse(number, "does not begin with a time");
        run.at = *at;
        keep(std::move(run));
    }

    void add(std::size_t line, std::string_view time, std::string_view name) {
        if (name.empty()) return refuse(line, "has no name (" + options_.name_column + ")");
        if (time.empty()) return refuse(line, "has no time (" + options_.time_column + ")");
        const auto at = time_in(base::trimmed(time, log_blanks));
        if (!at) return refuse(line, "'" + std::string(time) + "' is not a time");
        keep({line, *at, std::string(base::trimmed(name, log_blanks)), ""});
    }

    std::optional<Instant> time_in(std::string_view text) {
        if (const auto epoch = epoch_time(text)) return epoch;
        const std::string time = as_rfc3339(text);
        if (const auto read = parse_instant(time)) return read->instant;
        const auto local = parse_local(time);
        if (!local || local->offset || local->zone) return std::nullopt;
        return instant_of(local->wall);
    }

    /// `Nov 28 18:17:01`, with a blank before a day of one digit.
    std::optional<Instant> time_without_year(std::string_view head) {
        constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
        const std::vector<std::string> words = split_words(head);
        if (words.size() < 3) return std::nullopt;
        const auto found = std::ranges::find(months, words[0]);
        const auto day = whole_number(words[1]);
        const auto time = parse_time_of_day(words[2]);
        if (found == months.end() || !day || *day > 31 || !time) return std::nullopt;
        const std::chrono::month month{static_cast<unsigned>(found - months.begin()) + 1};
        const auto this_year =
            Date{std::chrono::floor<std::chrono::days>(wall_time_at(zone_, now_))}.year();
        // Eight years back there was a 29 February, also around 1900 and 2100.
        for (int back = -1; back <= 8; ++back) {
            const Date date{this_year - std::chrono::years{back}, month,
                            std::chrono::day{static_cast<unsigned>(*day)}};
            if (!date.ok()) continue;
            const auto at = instant_of(WallTime{std::chrono::local_days{date}} + *time);
            if (at <= now_ + log_disorder) return at;
        }
        return std::nullopt;
    }

    [[nodiscard]] Instant instant_of(WallTime wall) const {
        const auto seconds = std::chrono::floor<std::chrono::seconds>(wall);
        const LocalLookup found = zone_.lookup(seconds);
        const auto rest = wall - seconds;
        const Instant first = found.earlier + rest, second = found.later + rest;
        if (found.kind != LocalLookup::Kind::overlap) return second;
        return first < latest_ - log_disorder ? second : first;
    }

    void keep(LoggedRun run) {
        latest_ = std::max(latest_, run.at);
        log_.runs.push_back(std::move(run));
    }
    void refuse(std::size_t line, std::string reason) {
        log_.unread.push_back({line, std::move(reason)});
    }

    const RunLogOptions& options_;
    const Zone& zone_;
    const Instant now_;
    RunLog log_{};
    Instant latest_ = earliest_instant;  // of the lines so far
};

}  // namespace

RunLog read_run_log(std::string_view text, const RunLogOptions& options, const Zone& zone,
                    Instant now) {
    return RunLogReader(options, zone, now).read(text);
}

std::string as_cron_logs(std::string_view command) {
    std::string text;
    for (const char c : base::trimmed(command, log_blanks)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20) {
            text += {'^', static_cast<char>(byte + '@')};
        } else if (byte < 0x7f) {
            text += c;
        } else if (byte == 0x7f) {
            text += "^?";
        } else {
            text += '\\';
            for (const unsigned shift : {6U, 3U, 0U})
                text += static_cast<char>('0' + ((byte >> shift) & 7U));
        }
    }
    return text;
}

}  // namespace sundial::cli
