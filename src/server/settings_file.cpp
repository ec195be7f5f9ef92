#include "server/settings_file.hpp"

#include <toml++/toml.h>

#include <array>
#include <charconv>
#include <fstream>
#include <sstream>

#include "application/ports/failures.hpp"

namespace sundial::server {
namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

std::string text_of(double number) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    return {text.data(), end};
}

std::string text_of(const toml::node& node, const std::string& key, const std::string& file) {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* number = node.as_integer()) return std::to_string(number->get());
    if (const auto* number = node.as_floating_point()) return text_of(number->get());
    if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
    if (const auto* list = node.as_array()) {
        std::string joined;
        for (const toml::node& member : *list) {
            joined += (joined.empty() ? "" : ",") + text_of(member, key, file);
        }
        return joined;
    }
    throw CannotStart(file + ": " + key +
                      " must be a text, a number, true or false, or a list of them");
}

void collect(const toml::table& table, const std::string& prefix, const std::string& file,
             Values& values) {
    for (const auto& [name, node] : table) {
        const std::string key = prefix + std::string(name.str());
        if (const auto* inner = node.as_table()) {
            collect(*inner, key + ".", file, values);
        } else {
            values.emplace_back(key, text_of(node, key, file));
        }
    }
}

std::string read_file(const std::string& file, const std::string& named_by) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream content;
    if (!stream || !(content << stream.rdbuf()))
        throw CannotStart(named_by + ": cannot read '" + file + "'");
    return content.str();
}

}  // namespace

Values read_settings_file(const std::string& file) {
    Values values;
    try {
        collect(toml::parse(read_file(file, "--config"), file), "", file, values);
    } catch (const toml::parse_error& error) {
        const auto at = error.source().begin;
        throw CannotStart(file + ":" + std::to_string(at.line) + ": " +
                          std::string(error.description()));
    }
    return values;
}

std::string read_secret_file(const std::string& file, const std::string& named_by) {
    std::string text = read_file(file, named_by);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    return text;
}

}  // namespace sundial::server
