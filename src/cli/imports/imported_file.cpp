#include "cli/imports/imported_file.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <sstream>
#include <stdexcept>

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

bool InputBytes::fill() {
    next_ = filled_ = 0;
    if (!in_) return false;
    in_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    filled_ = static_cast<std::size_t>(in_.gcount());
    return filled_ > 0;
}

bool read_csv_row(InputBytes& in, char delimiter, std::size_t& line, CsvRow& row,
                  std::string& text) {
    constexpr std::size_t longest_row = 1024UL * 1024;
    row = {.line = line};
    text.clear();
    std::string field;
    bool quoted = false, any = false;
    for (int byte = in.take(); byte != InputBytes::end; byte = in.take()) {
        const char c = static_cast<char>(byte);
        if (c == '\n') ++line;
        if (c == '\n' && !quoted) {
            if (any) break;
            row.line = line;
            text.clear();
            continue;
        }
        text += c;
        if (text.size() > longest_row) {
            throw std::runtime_error("line " + std::to_string(row.line) +
                                     ": a row has more than 1 MiB; is a quote missing?");
        }
        if (quoted) {
            if (c != '"') {
                field += c;
            } else if (in.peek() == '"') {
                field += static_cast<char>(in.take());
                text += '"';
            } else {
                quoted = false;
            }
        } else if (c == '"') {
            quoted = any = true;
        } else if (c == delimiter) {
            row.fields.push_back(std::exchange(field, {}));
            any = true;
        } else if (c != '\r') {
            field += c;
            any = true;
        }
    }
    // The rest of the file would be one row.
    if (quoted && !in.failed()) {
        throw std::runtime_error("line " + std::to_string(row.line) +
                                 ": a quote of this row has no end");
    }
    if (any) row.fields.push_back(std::move(field));
    if (text.ends_with('\r')) text.pop_back();
    return any;
}

std::vector<CsvRow> read_csv_rows(std::string_view text) {
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    std::istringstream in{std::string(text)};
    InputBytes bytes{in};
    std::vector<CsvRow> rows;
    std::size_t line = 1;
    std::string row_text;
    for (CsvRow row; read_csv_row(bytes, ',', line, row, row_text);) rows.push_back(std::move(row));
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
