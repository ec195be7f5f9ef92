#include "cli/output.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>

namespace sundial::cli {
namespace {

namespace json = boost::json;

int exit_code_of(int status) {
    if (status < 300) return exit_code::ok;
    if (status == 401 || status == 403) return exit_code::not_allowed;
    if (status == 404) return exit_code::not_found;
    if (status == 409 || status == 412 || status == 422) return exit_code::conflict;
    if (status == 400) return exit_code::usage;
    return exit_code::failure;
}

void print_problem(const json::object& problem, std::ostream& err) {
    err << "sundial: " << text_of(problem, "detail") << " (" << text_of(problem, "code") << ")\n";
    if (const json::value* errors = problem.if_contains("errors");
        errors != nullptr && errors->is_array()) {
        for (const json::value& error : errors->get_array()) {
            if (!error.is_object()) continue;
            err << "  " << text_of(error.get_object(), "pointer") << ": "
                << text_of(error.get_object(), "message") << '\n';
        }
    }
}

}  // namespace

std::string text_of(const json::object& object, std::string_view member) {
    const json::value* value = object.if_contains(member);
    if (value == nullptr || value->is_null()) return "";
    return value->is_string() ? std::string(value->get_string()) : json::serialize(*value);
}

int print(const Answer& answer, const Output& output,
          const std::function<void(const json::object&)>& say) {
    json::error_code ec;
    const json::value body = json::parse(answer.body, ec);
    if (ec || !body.is_object()) {
        output.err << "sundial: the server's response is not JSON; is it a Sundial server?\n";
        return exit_code::failure;
    }
    if (answer.status >= 300) {
        print_problem(body.get_object(), output.err);
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

std::string TextTable::text() const {
    std::vector<std::size_t> widths(rows_.front().size());
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
        }
        text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
    }
    return text;
}

}  // namespace sundial::cli
