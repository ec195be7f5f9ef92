#include "application/schedules/payload_template.hpp"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "domain/names.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

/// A section of a template. The concatenated texts of all pieces are the template.
struct Piece {
    enum class Kind : std::uint8_t { plain, brace, name, unclosed };
    Kind kind;
    std::string_view text;  // "{{", "{firstName}"

    [[nodiscard]] std::string_view name() const { return text.substr(1, text.size() - 2); }
};

/// Cuts a JSON text into pieces. Names and doubled braces are found only within string literals.
class Scanner {
public:
    explicit Scanner(std::string_view json) : rest_(json) {}

    std::optional<Piece> next() {
        if (rest_.empty()) return std::nullopt;
        if (!in_literal_ || (rest_[0] != '{' && rest_[0] != '}')) return plain();
        if (rest_.starts_with("{{") || rest_.starts_with("}}")) return cut(Piece::Kind::brace, 2);
        if (rest_[0] == '}') return cut(Piece::Kind::brace, 1);
        const auto end = rest_.find_first_of("}\"\\");
        if (end == std::string_view::npos || rest_[end] != '}') {
            return cut(Piece::Kind::unclosed, end);
        }
        return cut(Piece::Kind::name, end + 1);
    }

private:
    /// Up to the next brace within a literal.
    Piece plain() {
        std::size_t end = 0;
        for (; end < rest_.size(); ++end) {
            const char c = rest_[end];
            if (c == '"') {
                in_literal_ = !in_literal_;
            } else if (in_literal_ && c == '\\') {
                ++end;  // an escaped character is neither a brace nor the end of the literal
            } else if (in_literal_ && (c == '{' || c == '}')) {
                break;
            }
        }
        return cut(Piece::Kind::plain, end);
    }
    Piece cut(Piece::Kind kind, std::size_t size) {
        const Piece piece{kind, rest_.substr(0, size)};
        rest_.remove_prefix(piece.text.size());
        return piece;
    }

    std::string_view rest_;
    bool in_literal_ = false;
};

struct Name {
    std::string_view text;
    const std::string TemplateValues::* value;
};
constexpr std::array<Name, 5> names{
    {{"firstName", &TemplateValues::first_name},
     {"lastName", &TemplateValues::last_name},
     {"age", &TemplateValues::age},
     {"targetTimestampLocal", &TemplateValues::target_timestamp_local},
     {"timezone", &TemplateValues::timezone}}};

struct Group {
    std::string_view prefix;
    const std::map<std::string, std::string> TemplateValues::* members;
};
constexpr std::array<Group, 2> groups{
    {{"dates.", &TemplateValues::dates}, {"metadata.", &TemplateValues::metadata}}};

/// The value of `name`; empty if the name is unknown.
std::optional<std::string> find_value(std::string_view name, const TemplateValues& values) {
    for (const auto& [text, value] : names) {
        if (name == text) return values.*value;
    }
    for (const auto& [prefix, members] : groups) {
        if (!name.starts_with(prefix)) continue;
        const std::string member{name.substr(prefix.size())};
        if (refuse_member_name("", member)) return std::nullopt;
        const auto found = (values.*members).find(member);
        return found == (values.*members).end() ? "" : found->second;
    }
    return std::nullopt;
}

/// Escapes for the inside of a JSON string literal (RFC 8259, 7).
void append_escaped(std::string& json, std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            json += '\\';
            json += c;
        } else if (byte < 0x20) {
            json += "\\u00";
            json += hex[byte >> 4U];
            json += hex[byte & 0xfU];
        } else {
            json += c;
        }
    }
}

/// At most 64 bytes, whole characters, because a long text may follow an unclosed brace.
std::string shortened(std::string_view text) {
    constexpr std::size_t limit = 64;
    if (text.size() <= limit) return std::string{text};
    std::size_t end = limit;
    while ((static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
    return std::string{text.substr(0, end)} + "…";
}

InvalidTemplate not_closed(const Piece& piece) {
    const std::string text = shortened(piece.text);
    return {shortened(piece.text.substr(1)),
            "'" + text + "' has no closing brace; write '{{' for a brace itself"};
}

bool known_without_user(std::string_view name) {
    return name == "targetTimestampLocal" || name == "timezone";
}

InvalidTemplate only_of_users(const Piece& piece) {
    return {shortened(piece.name()), "'{" + shortened(piece.name()) +
                                         "}' needs a user, and this schedule does not run per "
                                         "user; available are {targetTimestampLocal} {timezone}"};
}

InvalidTemplate unknown(const Piece& piece) {
    std::vector<std::string> known;
    known.reserve(names.size() + groups.size());
    for (const auto& name : names) known.emplace_back(name.text);
    for (const auto& group : groups) known.push_back(std::string{group.prefix} + "x");
    std::string message = "'{" + shortened(piece.name()) + "}' is not a field of users; ";
    if (const auto meant = base::nearest(piece.name(), known)) {
        message += "did you mean '{" + *meant + "}'?";
    } else {
        message += "there are";
        for (const auto& name : known) message += " {" + name + "}";
    }
    return {shortened(piece.name()), message + " Write '{{' for a brace itself"};
}

}  // namespace

TemplateValues template_values(const User& user, Date nominal, std::string target_timestamp_local) {
    TemplateValues values{.first_name = user.first_name,
                          .last_name = user.last_name,
                          .age = std::to_string(age_on(user.date_of_birth, nominal)),
                          .target_timestamp_local = std::move(target_timestamp_local),
                          .timezone = user.timezone,
                          .dates = {},
                          .metadata = user.metadata};
    for (const auto& [name, date] : user.dates) values.dates.emplace(name, format_date(date));
    return values;
}

TemplateValues template_values(std::string_view timezone, std::string target_timestamp_local) {
    TemplateValues values;
    values.target_timestamp_local = std::move(target_timestamp_local);
    values.timezone = timezone;
    return values;
}

ScheduleResult<void> check_template(std::string_view json, bool per_user) {
    Scanner scanner{json};
    while (const auto piece = scanner.next()) {
        if (piece->kind == Piece::Kind::unclosed) return not_closed(*piece);
        if (piece->kind != Piece::Kind::name) continue;
        if (!find_value(piece->name(), {})) return unknown(*piece);
        if (!per_user && !known_without_user(piece->name())) return only_of_users(*piece);
    }
    return {};
}

std::optional<std::string> render(std::string_view json, const TemplateValues& values) {
    std::string rendered;
    rendered.reserve(json.size());
    Scanner scanner{json};
    while (const auto piece = scanner.next()) {
        std::optional<std::string> value;
        if (piece->kind == Piece::Kind::name) value = find_value(piece->name(), values);
        if (value) {
            append_escaped(rendered, *value);
        } else if (piece->kind == Piece::Kind::brace) {
            rendered += piece->text[0];
        } else {
            rendered += piece->text;
        }
        if (rendered.size() > max_payload_bytes) return std::nullopt;
    }
    return rendered;
}

}  // namespace sundial
