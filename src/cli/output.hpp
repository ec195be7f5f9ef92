#pragma once

#include <chrono>
#include <functional>
#include <istream>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command_table.hpp"
#include "cli/http_client.hpp"
#include "cli/text_table.hpp"

/// The exit codes. docs/reference/cli.md has the list for users.

namespace sundial::cli::exit_code {

inline constexpr int ok = 0;
inline constexpr int failure = 1;
inline constexpr int usage = 2;
inline constexpr int not_found = 3;
inline constexpr int conflict = 4;
inline constexpr int not_allowed = 5;
inline constexpr int partly_failed = 7;
inline constexpr int timed_out = 8;
inline constexpr int interrupted = 130;

}  // namespace sundial::cli::exit_code

namespace boost::json {
class object;
}

/// Presents the API's responses to the user.

namespace sundial::cli {

struct Output {
    std::ostream& out;
    std::ostream& err;
    bool json = false;       // print the API's response instead of text
    TextTable::Look look{};  // of the terminal that `out` is, if it is one
};

/// How `wait_for_operation` waits, and how it shows progress.
struct WaitOptions {
    std::function<std::chrono::milliseconds()> elapsed;
    std::function<void(std::chrono::milliseconds)> sleep;
    std::optional<std::chrono::seconds> timeout;
    bool terminal = false;  // redraw the progress line; else a line every ten seconds
    /// Whether the person wants to stop waiting. The work continues on the server.
    std::function<bool()> interrupted = [] { return false; };
};

/// A member as text for people: strings without quotes, the rest as JSON, null or absent as
/// nothing.
[[nodiscard]] std::string text_of(const boost::json::object& object, std::string_view member);

/// The argument that a JSON pointer of a problem stands for.
using PointerNames = std::function<std::string(std::string_view pointer)>;

/// Prints a response: the body itself for --json, a problem, or the text from `say`. Returns the
/// exit code.
[[nodiscard]] int print(const Answer& answer, const Output& output,
                        const std::function<void(const boost::json::object&)>& say,
                        const PointerNames& name = {});
/// Prints a problem of the API: the error, its place, and the remedy.
void print_problem(const boost::json::object& problem, std::ostream& err,
                   const PointerNames& name = {});
[[nodiscard]] int exit_code_of(int status);

/// The texts of a row: one for each column.
[[nodiscard]] std::vector<std::string> cells_of_row(std::string_view row,
                                                    const std::vector<Column>& columns);
/// The rows in `data` of a response, as a table; `none` goes to the error stream if there is none.
void print_rows(const boost::json::object& response, const std::vector<Column>& columns,
                const Output& output);
/// One member per line; nested members are indented.
void print_members(std::string_view object, const Output& output);
/// A status in its colour, if `output` has colours.
[[nodiscard]] std::string painted_state(const std::string& word, const Output& output);

/// `0199… REPLAN_SCHEDULE RUNNING 1200 of 20000, 3 failed`
[[nodiscard]] std::string operation_line(const boost::json::object& operation);

/// An invalid argument: exit code 2. The message begins with its name.
class BadArgument : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Escapes a text for use in a query.
[[nodiscard]] std::string query_text(std::string_view text);
/// Escapes an id or a name for use as one segment of a path. Throws BadArgument if it is empty, "."
/// or "..": clients and proxies would take these for another path.
[[nodiscard]] std::string path_text(std::string_view text);

/// How to ask for confirmation, if there is a terminal.
struct Person {
    std::istream& in;
    bool there = false;
};
/// Asks whether to do `action`. Empty if the person agrees, otherwise the exit code: 2 if there is
/// no terminal to ask, with `instead` as advice, 1 if the person declines.
[[nodiscard]] std::optional<int> refuse_unconfirmed(const std::string& action, const Person& person,
                                                    const std::string& instead,
                                                    const Output& output);

/// Shows progress: one line that is redrawn on a terminal, else a line every ten seconds.
class LiveLine {
public:
    LiveLine(const WaitOptions& wait_options, std::ostream& err)
        : wait_options_(wait_options), err_(err) {}

    void show(const std::string& text) {
        if (wait_options_.terminal) {
            err_ << '\r' << text << "\x1b[K" << std::flush;
        } else if (wait_options_.elapsed() >= next_) {
            next_ = wait_options_.elapsed() + std::chrono::seconds(10);
            err_ << text << '\n' << std::flush;
        }
    }
    /// Removes the line from a terminal.
    void end() {
        if (wait_options_.terminal) err_ << "\r\x1b[K" << std::flush;
    }

private:
    const WaitOptions& wait_options_;
    std::ostream& err_;
    std::chrono::milliseconds next_ = std::chrono::seconds(10);
};

}  // namespace sundial::cli
