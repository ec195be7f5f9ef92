#include "cli/commands.hpp"

#include <boost/json.hpp>
#include <ostream>

#include "base/json_writer.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;

/// Text of a member for people: strings bare, the rest as JSON, null as nothing.
std::string text_of(const json::object& object, std::string_view member) {
    const json::value* value = object.if_contains(member);
    if (value == nullptr || value->is_null()) return "";
    return value->is_string() ? std::string(value->get_string()) : json::serialize(*value);
}

int exit_code_of(int status) {
    if (status < 300) return 0;
    if (status == 404) return 3;
    if (status == 409 || status == 412 || status == 422) return 4;
    if (status == 400) return 2;
    return 1;
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

/// Prints what `client` answered: the body itself for --json, a problem, or the words of `say`.
template <class Say>
int print(const Answer& answer, const Output& output, Say say) {
    json::error_code ec;
    const json::value body = json::parse(answer.body, ec);
    if (ec || !body.is_object()) {
        output.err << "sundial: the server's answer is not JSON; is it a Sundial server?\n";
        return 1;
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

}  // namespace

int show_clock(const HttpClient& client, const Output& output) {
    return print(client.call("GET", "/v1/clock"), output, [&](const json::object& clock) {
        output.out << text_of(clock, "now") << "  (" << text_of(clock, "mode") << " clock)\n";
    });
}

int advance_clock(const HttpClient& client, const std::optional<std::string>& by,
                  const std::optional<std::string>& to, const Output& output) {
    base::JsonWriter body;
    body.begin_object();
    if (by) body.member("by", *by);
    if (to) body.member("to", *to);
    body.end_object();
    return print(client.call("POST", "/v1/clock/advance", body.text()), output,
                 [&](const json::object& advanced) {
                     output.out << "now " << text_of(advanced, "now") << ": "
                                << text_of(advanced, "delivered") << " delivered, "
                                << text_of(advanced, "failed") << " failed\n";
                 });
}

int show_info(const HttpClient& client, const Output& output) {
    return print(client.call("GET", "/v1/info"), output, [&](const json::object& info) {
        const json::object& database = info.at("database").as_object();
        output.out << "sundial   " << text_of(info, "version") << " (" << text_of(info, "commit")
                   << ")\n"
                   << "database  " << text_of(database, "kind") << ' '
                   << text_of(database, "version") << '\n';
        if (const std::string note = text_of(database, "note"); !note.empty())
            output.out << "          " << note << '\n';
        output.out << "tzdata    " << text_of(info, "tzdb") << '\n'
                   << "clock     " << text_of(info, "clock") << '\n';
    });
}

}  // namespace sundial::cli
