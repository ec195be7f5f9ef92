#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.hpp"
#include "cli/imports/imported_file.hpp"
#include "domain/time/types.hpp"

namespace sundial::cli {
namespace {

constexpr std::string_view crontab_blanks = " \t\r";

/// `NAME=value`, with or without quotes and blanks around `=`.
struct Setting {
    std::string name, value;
};
std::optional<Setting> setting_in(std::string_view line) {
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view name = base::trimmed(line.substr(0, equals), crontab_blanks);
    const auto in_name = [](char c) {
        return base::is_lower(c) || base::is_upper(c) || base::is_digit(c) || c == '_';
    };
    if (name.empty() || base::is_digit(name.front()) || !std::ranges::all_of(name, in_name))
        return std::nullopt;
    std::string_view value = base::trimmed(line.substr(equals + 1), crontab_blanks);
    const bool quoted = value.size() > 1 && (value.front() == '"' || value.front() == '\'') &&
                        value.front() == value.back();
    if (quoted) value = value.substr(1, value.size() - 2);
    return Setting{std::string(name), std::string(value)};
}

/// Takes the first word from `rest`.
std::string take_word(std::string_view& rest) {
    rest = base::trimmed(rest, crontab_blanks);
    const auto end = std::min(rest.find_first_of(crontab_blanks), rest.size());
    std::string word(rest.substr(0, end));
    rest = base::trimmed(rest.substr(end), crontab_blanks);
    return word;
}

std::optional<int> number_in(std::string_view text) {
    int number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || read.ec != std::errc{} || read.ptr != text.data() + text.size())
        return std::nullopt;
    return number;
}

/// Forms that Sundial accepts and Vixie cron does not: such a line has never run.
std::string refuse_for_vixie(const std::string& field) {
    if (field.find('~') != std::string::npos)
        return "'" + field + "' is a random time, chosen by each start of cron; give a fixed one";
    if (field.find_first_of("?#") != std::string::npos)
        return "'" + field + "' is not a field of a crontab";
    std::size_t from = 0;
    while (from <= field.size()) {
        const auto comma = std::min(field.find(',', from), field.size());
        const std::string_view part = std::string_view(field).substr(from, comma - from);
        from = comma + 1;
        const auto slash = part.find('/');
        const std::string_view range = part.substr(0, slash);
        const auto dash = range.find('-');
        if (slash != std::string_view::npos && range != "*" && dash == std::string_view::npos)
            return "'" + std::string(part) + "' has a step without a range: cron refuses it";
        if (dash == std::string_view::npos) {
            const bool letters = !range.empty() && !base::is_digit(range.front()) && range != "*";
            if (range.find_first_of("0123456789") != std::string_view::npos && !number_in(range))
                return "'" + std::string(part) + "' is not a field of a crontab";
            if (letters && range.size() != 3)
                return "'" + std::string(part) + "' is not a field of a crontab";
            continue;
        }
        const auto first = number_in(range.substr(0, dash));
        const auto last = number_in(range.substr(dash + 1));
        if (first && last && *first > *last)
            return "'" + std::string(part) + "' ends before it begins: cron never runs it";
    }
    return "";
}

/// The command and its standard input: the first `%` that is not escaped begins the input, and the
/// others are line breaks.
struct CronCommand {
    std::string command{}, input{};
};
CronCommand split_command(std::string_view text) {
    CronCommand parts;
    bool in_input = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string& to = in_input ? parts.input : parts.command;
        if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '%') {
            to += text[++i];
        } else if (text[i] != '%') {
            to += text[i];
        } else if (in_input) {
            to += '\n';
        } else {
            in_input = true;
        }
    }
    return parts;
}

/// The name of the program: `/usr/bin/backup --all` is `backup`.
std::string program_of(std::string_view command) {
    const std::string word = take_word(command);
    const auto slash = word.find_last_of('/');
    return slash == std::string::npos ? word : word.substr(slash + 1);
}

class CrontabReader {
public:
    explicit CrontabReader(const ReadOptions& options) : options_(options) {}

    ImportedFile read(std::string_view text) {
        std::size_t number = 0;
        while (!text.empty()) {
            const auto end = std::min(text.find('\n'), text.size());
            read_line(++number, base::trimmed(text.substr(0, end), crontab_blanks));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        if (used_tz_)
            file_.notes.emplace_back(
                "The zone is the file's TZ. Vixie cron passes TZ to commands only and runs them in "
                "the machine's zone: give --timezone if that was another one.");
        if (used_default_)
            file_.notes.emplace_back(
                "The file names no zone (CRON_TZ), so its times are in UTC. cron used the zone of "
                "its machine: give --timezone.");
        number_equal_ids(file_);
        return std::move(file_);
    }

private:
    void read_line(std::size_t number, std::string_view line) {
        if (line.empty() || line.front() == '#') return;
        if (const auto setting = setting_in(line)) {
            if (setting->name == "CRON_TZ") cron_tz_ = setting->value;
            if (setting->name == "TZ") tz_ = setting->value;
            return;
        }
        std::string rule;
        std::string_view rest = line;
        std::string refused;
        if (line.front() == '@') {
            rule = take_word(rest);
            if (rule == "@reboot") refused = "@reboot runs when a machine starts, not at a time";
        } else {
            for (int field = 0; field < 5; ++field) {
                const std::string word = take_word(rest);
                if (word.empty()) refused = "a line has five fields and a command";
                if (refused.empty()) refused = refuse_for_vixie(word);
                rule += (field == 0 ? "" : " ") + word;
            }
        }
        const std::string user = options_.with_user ? take_word(rest) : "";
        if (refused.empty() && rest.empty()) refused = "the command is missing";
        if (!refused.empty()) {
            file_.refused.push_back({number, std::string(line), refused});
            return;
        }
        add(number, line, rule, user, rest);
    }

    void add(std::size_t number, std::string_view line, const std::string& rule,
             const std::string& user, std::string_view command) {
        ImportedEntry entry{.line = number, .text = std::string(line)};
        entry.rule = rule;
        entry.zone = zone();
        const CronCommand parts = split_command(command);
        entry.external_id =
            derived_id("crontab", program_of(parts.command), {entry.zone, rule, user, command});
        entry.payload =
            payload_of({{"command", parts.command}, {"input", parts.input}, {"user", user}});
        entry.gap = "boundary";
        entry.overlap = "earlier";
        file_.entries.push_back(std::move(entry));
    }

    std::string zone() {
        if (!options_.zone.empty()) return options_.zone;
        if (!cron_tz_.empty()) return cron_tz_;
        if (!tz_.empty()) {
            used_tz_ = true;
            return tz_.front() == ':' ? tz_.substr(1) : tz_;
        }
        used_default_ = true;
        return "UTC";
    }

    const ReadOptions& options_;
    ImportedFile file_{};
    std::string cron_tz_{}, tz_{};
    bool used_tz_ = false, used_default_ = false;
};

}  // namespace

ImportedFile read_crontab(std::string_view text, const ReadOptions& options) {
    return CrontabReader(options).read(text);
}

}  // namespace sundial::cli
