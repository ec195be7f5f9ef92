#include "cli/imports/people_file.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/imports/imported_file.hpp"
#include "cli/output.hpp"
#include "cli/text_table.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t longest_person = 64 * 1024;  // as a line of events (reliability 9)
constexpr std::array<std::string_view, 5> person_members{"externalId", "firstName", "lastName",
                                                         "dateOfBirth", "timezone"};
constexpr std::array<std::string_view, 2> person_maps{"dates.", "metadata."};

/// `first_name`, `First Name` and `firstName` are the same column.
std::string plain_name(std::string_view name) {
    std::string plain;
    for (const char c : name) {
        if (c != '_' && c != '-' && c != ' ') plain += base::lower(c);
    }
    return plain;
}

/// The member of the API that a column of this name has; empty if none.
std::string member_of_column(std::string_view name) {
    for (const std::string_view member : person_members) {
        if (plain_name(name) == plain_name(member)) return std::string(member);
    }
    for (const std::string_view map : person_maps) {
        if (name.size() > map.size() && base::same_ignoring_case(name.substr(0, map.size()), map))
            return std::string(map) + std::string(name.substr(map.size()));
    }
    return {};
}

bool is_user_member(std::string_view name) {
    const bool in_map = std::ranges::any_of(person_maps, [&](std::string_view map) {
        return name.starts_with(map) && name.size() > map.size();
    });
    return in_map || std::ranges::find(person_members, name) != person_members.end();
}

/// For messages: a name may have any byte, and one with a zero byte would end the message.
std::string listed_names(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + harmless(name);
    return text;
}

void refuse_unreadable(PersonRow& row) {
    if (row.text.size() > longest_person) {
        row.refusal = "is longer than 64 KiB";
    } else if (!base::count_code_points(row.text)) {
        row.refusal = "is not UTF-8";
    }
}

class CsvPeople final : public PeopleFile {
public:
    CsvPeople(std::istream& in, const PeopleOptions& options) : PeopleFile(in), options_(options) {
        std::string text;
        const bool found = read_csv_row(in_, options_.delimiter, line_, header_, text);
        check_readable(line_);
        if (!found) throw BadArgument("FILE: has no header, the names of its columns");
        std::string& first = header_.fields.front();
        if (first.starts_with(byte_order_mark)) first.erase(0, byte_order_mark.size());
        find_columns();
    }

    bool next(PersonRow& row) override {
        const bool found = read_csv_row(in_, options_.delimiter, line_, csv_, row.text);
        check_readable(line_);
        if (!found) return false;
        row.line = csv_.line;
        row.refusal.clear();
        row.body.clear();
        row.external_id = field(external_id_);
        row.zone = field(zone_);
        if (row.zone.empty()) row.zone = options_.zone;
        refuse_unreadable(row);
        if (row.refusal.empty() && csv_.fields.size() != header_.fields.size()) {
            row.refusal = "has " + std::to_string(csv_.fields.size()) + " fields, the header " +
                          std::to_string(header_.fields.size());
        }
        if (row.refusal.empty()) row.body = body(row.zone);
        return true;
    }

private:
    using Column = std::optional<std::size_t>;  // its place; empty: the file has no such column

    Column column_named(std::string_view name) const {
        const auto found = std::ranges::find(header_.fields, name);
        if (found == header_.fields.end()) return std::nullopt;
        return static_cast<std::size_t>(found - header_.fields.begin());
    }
    [[nodiscard]] std::string_view field(Column column) const {
        return column && *column < csv_.fields.size() ? std::string_view(csv_.fields[*column])
                                                      : std::string_view{};
    }

    void find_columns() {
        members_.resize(header_.fields.size());
        for (std::size_t i = 0; i < members_.size(); ++i)
            members_[i] = member_of_column(header_.fields[i]);
        for (const auto& [member, name] : options_.columns) {
            const Column column = column_named(name);
            if (!is_user_member(member))
                throw BadArgument("--column: '" + member + "' is not a member; known are " +
                                  "externalId, firstName, lastName, dateOfBirth, timezone, "
                                  "dates.NAME and metadata.NAME");
            if (!column)
                throw BadArgument("--column: the file has no column '" + name + "'; it has " +
                                  listed_names(header_.fields));
            // The named column replaces the one that has the member's name.
            std::ranges::replace(members_, member, std::string{});
            members_[*column] = member;
        }
        refuse_missing_columns();
        std::vector<std::string> ignored;
        for (std::size_t i = 0; i < members_.size(); ++i) {
            if (members_[i].empty()) ignored.push_back(header_.fields[i]);
        }
        if (!ignored.empty())
            notes_.push_back("columns that are not imported: " + listed_names(ignored));
        external_id_ = place_of("externalId");
        zone_ = place_of("timezone");
        order_maps();
    }

    void refuse_missing_columns() const {
        std::vector<std::string> missing;
        for (const std::string_view member : person_members) {
            const bool given = member == "timezone" && !options_.zone.empty();
            const auto columns = std::ranges::count(members_, member);
            if (columns == 0 && !given) missing.emplace_back(member);
            if (columns > 1)
                throw BadArgument("FILE: two columns are " + std::string(member) +
                                  "; name one with --column " + std::string(member) + "=NAME");
        }
        if (missing.empty()) return;
        throw BadArgument("FILE: no column for " + listed_names(missing) + "; it has " +
                          listed_names(header_.fields) + ". Name columns with --column " +
                          missing.front() + "=NAME");
    }

    [[nodiscard]] Column place_of(std::string_view member) const {
        const auto found = std::ranges::find(members_, member);
        if (found == members_.end()) return std::nullopt;
        return static_cast<std::size_t>(found - members_.begin());
    }

    /// The columns of each map, so that a row's map is written at once.
    void order_maps() {
        for (std::size_t map = 0; map < person_maps.size(); ++map) {
            for (std::size_t i = 0; i < members_.size(); ++i) {
                if (members_[i].starts_with(person_maps.at(map))) in_map_.at(map).push_back(i);
            }
        }
    }

    [[nodiscard]] std::string body(const std::string& zone) const {
        base::JsonWriter json;
        json.begin_object();
        for (std::size_t i = 0; i < members_.size(); ++i) {
            const std::string& member = members_[i];
            if (i == zone_ || member.empty() || member.find('.') != std::string::npos) continue;
            if (!csv_.fields[i].empty()) json.member(member, std::string_view(csv_.fields[i]));
        }
        if (!zone.empty()) json.member("timezone", std::string_view(zone));
        for (std::size_t map = 0; map < person_maps.size(); ++map) {
            if (in_map_.at(map).empty()) continue;
            const std::string_view prefix = person_maps.at(map);
            json.key(prefix.substr(0, prefix.size() - 1)).begin_object();
            for (const std::size_t i : in_map_.at(map)) {
                if (csv_.fields[i].empty()) continue;
                json.member(std::string_view(members_[i]).substr(prefix.size()),
                            std::string_view(csv_.fields[i]));
            }
            json.end_object();
        }
        return std::move(json.end_object()).text();
    }

    const PeopleOptions& options_;
    std::size_t line_ = 1;
    CsvRow header_, csv_;
    std::vector<std::string> members_;  // of each column; empty: not imported
    std::array<std::vector<std::size_t>, person_maps.size()> in_map_;
    Column external_id_, zone_;
};

class NdjsonPeople final : public PeopleFile {
public:
    NdjsonPeople(std::istream& in, const PeopleOptions& options)
        : PeopleFile(in), options_(options) {}

    bool next(PersonRow& row) override {
        do {
            if (!read_line(row.text)) return false;
        } while (base::trimmed(row.text, " \t\r").empty());
        row.line = line_;
        row.refusal.clear();
        row.body.clear();
        row.external_id.clear();
        row.zone.clear();
        refuse_unreadable(row);
        if (row.refusal.empty()) read_members(row);
        return true;
    }

private:
    bool read_line(std::string& text) {
        text.clear();
        ++line_;
        int byte = in_.take();
        const bool any = byte != InputBytes::end;
        // The line is refused as a whole, so the part beyond the limit need not be kept.
        for (; byte != InputBytes::end && byte != '\n'; byte = in_.take()) {
            if (text.size() <= longest_person) text += static_cast<char>(byte);
        }
        check_readable(line_);
        if (line_ == 1 && text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
        if (text.ends_with('\r')) text.pop_back();
        return any;
    }

    void read_members(PersonRow& row) {
        json::error_code wrong;
        const json::value value = json::parse(row.text, wrong);
        if (wrong || !value.is_object()) {
            row.refusal = wrong ? "is not JSON: " + wrong.message() : "is not a JSON object";
            return;
        }
        const json::object& person = value.get_object();
        row.external_id = text_of(person, "externalId");
        row.zone = text_of(person, "timezone");
        row.body = base::trimmed(row.text, " \t");
        if (person.contains("timezone") || options_.zone.empty()) return;
        row.zone = options_.zone;
        base::JsonWriter zone;
        zone.begin_object().member("timezone", std::string_view(row.zone));
        const std::string head = std::move(zone).text();
        row.body.replace(0, 1, person.empty() ? head : head + ',');
    }

    const PeopleOptions& options_;
    std::size_t line_ = 0;
};

}  // namespace

void PeopleFile::check_readable(std::size_t line) const {
    if (in_.failed()) throw std::runtime_error("cannot read beyond line " + std::to_string(line));
}

std::unique_ptr<PeopleFile> open_people(PeopleFormat format, std::istream& in,
                                        const PeopleOptions& options) {
    if (format == PeopleFormat::ndjson) return std::make_unique<NdjsonPeople>(in, options);
    return std::make_unique<CsvPeople>(in, options);
}

}  // namespace sundial::cli
