#include "cli/output.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "cli/json_text.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;

/// The remedy of a problem, for codes whose `detail` does not say it.
std::string remedy(const json::object& problem) {
    const std::string code = text_of(problem, "code");
    if (code == "UNAUTHENTICATED") return "Give a key with --api-key or SUNDIAL_API_KEY.";
    if (code == "FORBIDDEN")
        return "Use a key with the role " + text_of(problem, "role") + ", or a higher one.";
    if (text_of(problem, "retryable") == "true") return "The same command may succeed later.";
    return "";
}

constexpr std::size_t deepest_json = 128;  // the API takes payloads of depth 64
constexpr std::size_t name_column = 24;    // cells; the longest member of the API has 20

/// Members of an object, each on its own line, nested ones indented.
void add_members(std::string_view object, std::size_t indent, const Output& output) {
    for (const auto& [key, value] : members_of(object)) {
        const std::string name = std::string(indent, ' ') + harmless(key);
        if (value.starts_with('{') && !members_of(value).empty()) {
            output.out << name << '\n';
            add_members(value, indent + 2, output);
        } else if (value.starts_with('[') && value_at(value, "0").starts_with('{')) {
            output.out << name << '\n';
            for (const std::string_view one : elements_of(value)) {
                add_members(one, indent + 2, output);
                output.out << '\n';
            }
        } else if (value != "null") {
            output.out << name
                       << std::string(std::max(name_column, name.size() + 2) - name.size(), ' ')
                       << painted_state(harmless(plain_text(value)), output) << '\n';
        }
    }
}

/// A length in whole seconds, minutes or hours, rounded down: `14 s ago`.
std::string age_of(std::int64_t milliseconds) {
    const std::int64_t seconds = milliseconds / 1'000;
    if (seconds < 60) return std::to_string(seconds) + " s ago";
    if (seconds < 3'600) return std::to_string(seconds / 60) + " min ago";
    return std::to_string(seconds / 3'600) + " h ago";
}

/// `@ref`, `@roles`, `@seen` and `@state`: see Column.
std::string computed_cell(std::string_view row, std::string_view member) {
    if (member == "@ref") {
        const std::string external_id = plain_text(value_at(row, "externalId"));
        return external_id.empty() ? plain_text(value_at(row, "id")) : "ext:" + external_id;
    }
    if (member == "@roles") {
        std::string roles;
        for (const std::string_view role : elements_of(value_at(row, "roles"))) {
            roles += (roles.empty() ? "" : ",") + plain_text(role);
        }
        return roles;
    }
    if (member == "@seen") {
        const std::string silent = plain_text(value_at(row, "silentMs"));
        return silent.empty() ? "" : age_of(std::strtoll(silent.c_str(), nullptr, 10));
    }
    if (value_at(row, "enabled") == "true") return "enabled";
    std::string reason = plain_text(value_at(row, "disabledReason"));
    if (reason.empty()) reason = plain_text(value_at(row, "note"));
    return reason.empty() ? "disabled" : "disabled: " + reason;
}

}  // namespace

int exit_code_of(int status) {
    if (status < 300) return exit_code::ok;
    if (status == 401 || status == 403) return exit_code::not_allowed;
    if (status == 404) return exit_code::not_found;
    if (status == 409 || status == 412 || status == 422) return exit_code::conflict;
    if (status == 400) return exit_code::usage;
    return exit_code::failure;
}

void print_problem(const json::object& problem, std::ostream& err, const PointerNames& name) {
    err << "sundial: " << harmless(text_of(problem, "detail")) << " ("
        << harmless(text_of(problem, "code")) << ")\n";
    if (const json::value* errors = problem.if_contains("errors");
        errors != nullptr && errors->is_array()) {
        for (const json::value& error : errors->get_array()) {
            if (!error.is_object()) continue;
            const std::string pointer = text_of(error.get_object(), "pointer");
            err << "  " << harmless(name ? name(pointer) : pointer) << ": "
                << harmless(text_of(error.get_object(), "message")) << '\n';
        }
    }
    if (const std::string right = remedy(problem); !right.empty()) err << "  " << right << '\n';
    if (text_of(problem, "code") == "INTERNAL_ERROR")
        err << "  The server's log has it under " << harmless(text_of(problem, "correlationId"))
            << ".\n";
}

std::vector<std::string> cells_of_row(std::string_view row, const std::vector<Column>& columns) {
    std::vector<std::string> cells;
    cells.reserve(columns.size());
    for (const Column& column : columns) {
        cells.push_back(column.member.starts_with('@') ? computed_cell(row, column.member)
                                                       : plain_text(value_at(row, column.member)));
    }
    return cells;
}

void print_rows(const json::object& response, const std::vector<Column>& columns,
                const Output& output) {
    std::vector<std::string> titles;
    for (const Column& column : columns) titles.push_back(column.title);
    TextTable table(titles);
    if (const json::value* data = response.if_contains("data");
        data != nullptr && data->is_array()) {
        for (const json::value& row : data->get_array())
            table.add(cells_of_row(json::serialize(row), columns));
    }
    if (table.empty()) {
        output.err << "none\n";
    } else {
        output.out << table.text(output.look);
    }
}

void print_members(std::string_view object, const Output& output) {
    add_members(object, 0, output);
}

std::string painted_state(const std::string& word, const Output& output) {
    return output.look.colour ? painted(word, paint_of_state(word)) : word;
}

std::string text_of(const json::object& object, std::string_view member) {
    const json::value* value = object.if_contains(member);
    if (value == nullptr || value->is_null()) return "";
    return value->is_string() ? std::string(value->get_string())
                              : plain_text(json::serialize(*value));
}

int print(const Answer& answer, const Output& output,
          const std::function<void(const json::object&)>& say, const PointerNames& name) {
    json::error_code ec;
    const json::value body = json::parse(answer.body, ec, {}, {.max_depth = deepest_json});
    if (ec || !body.is_object()) {
        output.err << "sundial: the server's response is not JSON; is it a Sundial server?\n";
        return exit_code::failure;
    }
    if (answer.status >= 300) {
        print_problem(body.get_object(), output.err, name);
    } else if (output.json) {
        output.out << answer.body << '\n';
    } else {
        say(body.get_object());
    }
    return exit_code_of(answer.status);
}

std::optional<int> refuse_unconfirmed(const std::string& action, const Person& person,
                                      const std::string& instead, const Output& output) {
    if (!person.there) {
        output.err << "sundial: " << action
                   << "? There is no terminal for a confirmation: " << instead << '\n';
        return exit_code::usage;
    }
    output.err << action << "? [y/N] " << std::flush;
    std::string word;
    if (std::getline(person.in, word) && (word == "y" || word == "Y" || word == "yes")) {
        return std::nullopt;
    }
    output.err << "nothing was changed\n";
    return exit_code::failure;
}

std::string operation_line(const json::object& operation) {
    const std::string total = text_of(operation, "total");
    const std::string failed = text_of(operation, "failed");
    const std::string reason = text_of(operation, "reason");
    return text_of(operation, "id") + "  " + text_of(operation, "kind") + "  " +
           text_of(operation, "status") + "  " + text_of(operation, "done") +
           (total.empty() ? "" : " of " + total) +
           (failed == "0" ? "" : ", " + failed + " failed") + (reason.empty() ? "" : ": " + reason);
}

std::string path_text(std::string_view text) {
    if (text.empty() || text == "." || text == "..") {
        throw BadArgument("'" + std::string(text) +
                          "' is not an id or a name: it would lead to another path");
    }
    return query_text(text);
}

std::string query_text(std::string_view text) {
    constexpr std::string_view plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~,:";
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string query;
    for (const char c : text) {
        if (plain.find(c) != plain.npos) {
            query += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            query += '%';
            query += digits[byte >> 4U];
            query += digits[byte & 15U];
        }
    }
    return query;
}

}  // namespace sundial::cli
