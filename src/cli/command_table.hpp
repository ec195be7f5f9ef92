#pragma once

#include <string>
#include <vector>

namespace boost::json {
class object;  // NOLINT(readability-identifier-naming): the library's name
}

/// The commands that perform one operation of the API, as data: adding an operation is one row.
/// `run_command` performs them, server/command_line/ makes flags of them, and help, manual,
/// completion and the tests read them.
namespace sundial::cli {

struct Output;

/// Where a value goes in the request.
enum class Place { path, query, header, body };

/// How a value is given, and how the body has it. In paths, queries and headers all are text.
enum class ValueKind {
    text,      // a JSON string
    number,    // a whole number
    flag,      // true; false with --flag=false
    words,     // several, with commas between them: an array
    json,      // JSON, @FILE, or - for standard input; every byte stays
    document,  // a text, @FILE, or - for standard input
    file,      // the name of a file with JSON, or - for standard input
    version,   // a whole number, or a word as a string
    moment,    // `…UTC` for an instant or now+1h, `…Local` for a time without offset
};

/// A column of a list: a member of a row, with dots for nested ones. `@ref` is ext: and the
/// external id, or else the id; `@state` is `enabled`, or `disabled` and the reason; `@roles` joins
/// `roles` by commas; `@seen` is `14 s ago`, from `silentMs`.
struct Column {
    std::string title;
    std::string member;
};

/// A flag, if its name begins with dashes; else a positional argument.
struct Argument {
    std::string name;  // `--first-name`, or `--executed-from,--failed-from` with an older name
    Place place;
    std::string member;  // the API's name; in a body a path, `trigger.yearly.at`
    std::string help;
    ValueKind kind = ValueKind::text;
    std::vector<std::string> choices{};
    bool required = false;
    std::string fallback{};  // sent if the argument is not given
    std::string sends{};     // of a flag: sent instead of true
    /// Columns that a list has as well if the argument is given.
    std::vector<Column> columns{};

    // Variants of an argument, for the rows of the table.
    [[nodiscard]] Argument named(std::string other) &&;
    [[nodiscard]] Argument as(ValueKind other) &&;
    [[nodiscard]] Argument of(std::vector<std::string> words) &&;
    [[nodiscard]] Argument needed() &&;
    [[nodiscard]] Argument otherwise(std::string text) &&;
    [[nodiscard]] Argument sending(std::string text) &&;
    [[nodiscard]] Argument showing(std::vector<Column> added) &&;
};

/// The form of the response, which decides how it is printed.
enum class Shape {
    one,    // an object: its members
    list,   // `data` with rows, complete
    pages,  // `data` with rows, page by page
    text,   // not JSON
};

/// How the next page is asked for.
enum class Paging { cursor, version, position };

/// A member of the body that the command itself fixes.
struct FixedMember {
    std::string path;
    std::string json;
};

struct ApiCommand {
    std::string noun;  // empty: the verb stands alone
    std::string verb;
    std::string help;
    std::string operation;             // operationId in openapi.json
    std::vector<std::string> names{};  // other operationIds of the same operation: aliases
    std::string method;
    std::string path;  // `/v1/users/{id}`
    std::vector<Argument> arguments{};
    std::vector<FixedMember> fixed{};
    std::vector<FixedMember> fixed_query{};  // parameters, as text
    bool whole_body = false;                 // takes --data, the body as JSON
    bool versioned = false;                  // takes --if-match
    Shape shape = Shape::one;
    Paging paging = Paging::cursor;
    std::vector<Column> columns{};
    std::vector<std::string> sorts{};  // what --sort takes; each also with a minus before it
    std::string default_sort{};
    /// Asks for confirmation of this action: "delete the user {id} and its events". `{…}` is an
    /// argument.
    std::string question{};
    /// The path of what it changes, to show it; `same`: its own path; empty: nothing to show.
    std::string current{};
    std::string done{};  // printed for a response without a body
    std::string note{};  // printed to the error stream after success
    /// Prints a response for people; null: all members.
    void (*view)(const boost::json::object& response, const Output& output) = nullptr;
};

/// All of them, in the order of the help.
[[nodiscard]] const std::vector<ApiCommand>& command_table();
/// A noun and its meaning, for the help.
struct Noun {
    std::string name;
    std::string help;
};
[[nodiscard]] const std::vector<Noun>& nouns();

/// Whether it changes nothing on the server. All other commands have --dry-run and --request-key.
[[nodiscard]] bool only_reads(const ApiCommand& command);
/// Whether its --dry-run is a member of the request: the server counts, and changes nothing.
[[nodiscard]] bool asks_server_to_try(const ApiCommand& command);
/// Its flags that have no argument in the table, such as --limit of a list.
[[nodiscard]] std::vector<Argument> common_flags(const ApiCommand& command);

}  // namespace sundial::cli
