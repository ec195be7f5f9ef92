#include "cli/imports/imported_file.hpp"

#include <array>
#include <cstdint>
#include <map>

#include "base/json.hpp"
#include "base/text.hpp"

namespace sundial::cli {
namespace {

constexpr std::size_t longest_slug = 60;

bool is_id_character(char c) {
    return base::is_digit(c) || base::is_lower(c) || base::is_upper(c) || c == '.' || c == '_' ||
           c == '-';
}

/// The characters of `label` that suit an id, with one `-` for each run of others.
std::string slug_of(std::string_view label) {
    std::string slug;
    for (const char c : label) {
        if (slug.size() == longest_slug) break;
        if (is_id_character(c)) {
            slug += c;
        } else if (!slug.empty() && slug.back() != '-') {
            slug += '-';
        }
    }
    while (!slug.empty() && slug.back() == '-') slug.pop_back();
    return slug;
}

/// FNV-1a. Ids only have to be the same at every import and to differ within one file.
std::string hash_of(const std::vector<std::string_view>& parts) {
    std::uint64_t hash = 14695981039346656037U;
    const auto add = [&hash](unsigned char byte) { hash = (hash ^ byte) * 1099511628211U; };
    for (const std::string_view part : parts) {
        for (const char c : part) add(static_cast<unsigned char>(c));
        add(0);
    }
    constexpr std::array digits{'0', '1', '2', '3', '4', '5', '6', '7',
                                '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};
    std::string text(16, '0');
    for (std::size_t i = text.size(); i-- > 0; hash >>= 4U) text[i] = digits.at(hash & 15U);
    return text;
}

std::string with_doubled_braces(std::string_view text) {
    std::string doubled;
    for (const char c : text) doubled.append(c == '{' ? 2 : 1, c);
    return doubled;
}

}  // namespace

std::vector<std::string> split_words(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : text) {
        const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
        if (!blank) {
            word += c;
        } else if (!word.empty()) {
            words.push_back(std::exchange(word, {}));
        }
    }
    if (!word.empty()) words.push_back(word);
    return words;
}

std::vector<CsvRow> read_csv_rows(std::string_view text) {
    std::vector<CsvRow> rows;
    std::size_t line = 1;
    CsvRow row{.line = line};
    std::string field;
    bool quoted = false, any = false;
    const auto end_row = [&] {
        if (any) {
            row.fields.push_back(std::exchange(field, {}));
            rows.push_back(std::exchange(row, {}));
        }
        row.line = line;
        any = false;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\n') ++line;
        if (quoted) {
            if (c != '"') {
                field += c;
            } else if (i + 1 < text.size() && text[i + 1] == '"') {
                field += text[++i];
            } else {
                quoted = false;
            }
        } else if (c == '\n') {
            end_row();
        } else if (c == '"') {
            quoted = any = true;
        } else if (c == ',') {
            row.fields.push_back(std::exchange(field, {}));
            any = true;
        } else if (c != '\r') {
            field += c;
            any = true;
        }
    }
    end_row();
    return rows;
}

std::string derived_id(std::string_view name, std::string_view label,
                       const std::vector<std::string_view>& parts) {
    const std::string slug = slug_of(label);
    return std::string(name) + '-' + (slug.empty() ? "" : slug + '-') + hash_of(parts);
}

std::string payload_of(const std::vector<std::pair<std::string_view, std::string>>& members) {
    base::JsonWriter json;
    json.begin_object();
    for (const auto& [name, text] : members) {
        if (!text.empty()) json.member(name, with_doubled_braces(text));
    }
    json.end_object();
    return json.text();
}

void number_equal_ids(ImportedFile& file) {
    std::map<std::string, unsigned> seen;
    for (ImportedEntry& entry : file.entries) {
        const unsigned number = ++seen[entry.external_id];
        if (number > 1) entry.external_id += '-' + std::to_string(number);
    }
}

}  // namespace sundial::cli
