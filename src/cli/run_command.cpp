#include "cli/run_command.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <utility>

#include "base/json.hpp"
#include "cli/json_text.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr std::size_t rows_of_page = 500;  // of the API

Answer call(const HttpClient& client, const ApiRequest& request) {
    return client.call(request.method, request.target(), request.body,
                       {.headers = request.headers});
}

std::size_t number_of(const Given& given, std::string_view flag, const std::string& otherwise,
                      std::size_t most) {
    const std::string text = first_of(given, flag, otherwise);
    const std::size_t number = std::strtoull(text.c_str(), nullptr, 10);
    const bool digits =
        text.find_first_not_of("0123456789") == std::string::npos && !text.starts_with('0');
    if (digits && number >= 1 && number <= most && text.size() < 12) return number;
    throw BadArgument(std::string(flag) + ": '" + text + "' is not a number from 1 to " +
                      std::to_string(most));
}

bool has(const Given& given, std::string_view flag) { return first_of(given, flag) == "true"; }

/// The CSV has the members of computed columns: @ref becomes id and externalId, @state becomes
/// enabled, and @seen becomes silentMs.
std::vector<Column> csv_columns(const std::vector<Column>& shown) {
    std::vector<Column> columns;
    for (const Column& column : shown) {
        if (column.member == "@ref") {
            columns.push_back({"id", "id"});
            columns.push_back({"externalId", "externalId"});
        } else if (column.member == "@roles") {
            columns.push_back({"roles", column.member});
        } else {
            const std::string member = column.member == "@state"  ? "enabled"
                                       : column.member == "@seen" ? "silentMs"
                                                                  : column.member;
            columns.push_back({member, member});
        }
    }
    return columns;
}

/// Prints pages of rows: as a table, as CSV, or as one JSON document of the API's shape.
class RowPrinter {
public:
    enum class Format { text, csv, json, lines };

    RowPrinter(const std::vector<Column>& columns, Format format, const Output& output)
        : columns_(format == Format::csv ? csv_columns(columns) : columns),
          format_(format),
          output_(output),
          table_(titles(columns_)) {}

    /// Prints `rows` of the response `page`. With Format::json the document begins
    /// with the other members of the first page.
    void add(std::string_view page, std::span<const std::string_view> rows) {
        if (format_ == Format::json) begin_document(page);
        if (format_ == Format::text && total_.empty()) total_ = total_of(page);
        if (format_ == Format::csv && !std::exchange(begun_, true))
            output_.out << csv_line(titles(columns_));
        for (const std::string_view row : rows) {
            if (format_ == Format::json) output_.out << (printed_ == 0 ? "" : ",") << row;
            if (format_ == Format::lines) output_.out << row << '\n';
            if (format_ == Format::csv) output_.out << csv_line(cells_of_row(row, columns_));
            if (format_ == Format::text) table_.add(cells_of_row(row, columns_));
            ++printed_;
        }
        if (format_ == Format::text && !table_.empty()) output_.out << table_.text(output_.look);
        output_.out.flush();
    }
    void end(bool more, std::string_view next_cursor) {
        if (format_ == Format::json) {
            output_.out << "],\"hasMore\":" << (more ? "true" : "false");
            if (!next_cursor.empty()) output_.out << ",\"nextCursor\":" << next_cursor;
            output_.out << "}\n";
            return;
        }
        if (format_ == Format::text && printed_ == 0) output_.err << "none\n";
        if (format_ == Format::text && more)
            output_.err << "and more; show them with --limit or --all\n";
        if (!total_.empty()) output_.err << total_ << " in all\n";
    }

private:
    static std::vector<std::string> titles(const std::vector<Column>& columns) {
        std::vector<std::string> names;
        names.reserve(columns.size());
        for (const Column& column : columns) names.push_back(column.title);
        return names;
    }
    /// The count of the page, if the command asked for it.
    static std::string total_of(std::string_view page) {
        std::string total;
        bool complete = true;
        for (const auto& [name, value] : members_of(page)) {
            if (name == "totalCount") total = value;
            if (name == "totalCountComplete") complete = value == "true";
        }
        return complete ? total : total + " or more";
    }
    void begin_document(std::string_view page) {
        if (std::exchange(begun_, true)) return;
        output_.out << '{';
        for (const auto& [name, value] : members_of(page)) {
            if (name == "data" || name == "hasMore" || name == "nextCursor") continue;
            std::string quoted;
            base::append_json_string(quoted, name);
            output_.out << quoted << ':' << value << ',';
        }
        output_.out << "\"data\":[";
    }

    std::vector<Column> columns_;
    Format format_;
    const Output& output_;
    TextTable table_;
    std::string total_{};
    std::size_t printed_ = 0;
    bool begun_ = false;
};

/// One run of a command of the table.
class CommandRun {
public:
    CommandRun(const ApiCommand& command, const Given& given, const Session& session)
        : command_(command),
          given_(given),
          session_(session),
          output_(session.output),
          request_(make_request(command, given, session.read)) {}

    int run() {
        if (command_.shape == Shape::pages) return has(given_, "--watch") ? watch() : list();
        if (!only_reads(command_)) {
            if (has(given_, "--dry-run") && !asks_server_to_try(command_)) return show_intent();
            if (!command_.question.empty() && !has(given_, "--yes")) {
                if (const auto code = refused()) return *code;
            }
        }
        return finish(call(session_.client, request_));
    }

private:
    int finish(const Answer& answer) {
        if (answer.status == 204) {
            if (!output_.json) output_.out << command_.done << '\n';
            return exit_code::ok;
        }
        if (command_.shape == Shape::text && answer.status < 300) {
            output_.out << answer.body << (answer.body.ends_with('\n') ? "" : "\n");
            return exit_code::ok;
        }
        if (has(given_, "--csv") && answer.status < 300) {
            RowPrinter printer(columns(), RowPrinter::Format::csv, output_);
            printer.add(answer.body, elements_of(value_at(answer.body, "data")));
            return exit_code::ok;
        }
        const int code = print(
            answer, output_,
            [&](const json::object& response) {
                if (command_.view != nullptr)
                    command_.view(response, output_);
                else if (command_.shape == Shape::list)
                    print_rows(response, columns(), output_);
                else
                    print_members(answer.body, output_);
            },
            names());
        if (code == 0 && !output_.json && !command_.note.empty())
            output_.err << command_.note << '\n';
        return code;
    }
    /// The command's, and those of the arguments that are given.
    [[nodiscard]] std::vector<Column> columns() const {
        std::vector<Column> all = command_.columns;
        for (const Argument& argument : command_.arguments) {
            if (given_.contains(key_of(argument)))
                all.insert(all.end(), argument.columns.begin(), argument.columns.end());
        }
        return all;
    }
    [[nodiscard]] PointerNames names() const {
        return [this](std::string_view pointer) { return argument_of(command_, pointer); };
    }
    int refuse(const Answer& answer) const {
        return print(answer, output_, [](const json::object&) {}, names());
    }

    /// The present resource, if the API can show it.
    [[nodiscard]] std::optional<Answer> current() const {
        if (command_.current.empty()) return std::nullopt;
        const std::string path = command_.current == "same"
                                     ? request_.path
                                     : filled(command_, command_.current, given_, true);
        return session_.client.call("GET", path);
    }
    /// The columns in which lists of this noun show it.
    [[nodiscard]] std::vector<Column> columns_of_noun() const {
        for (const ApiCommand& other : command_table()) {
            if (other.noun == command_.noun && other.shape == Shape::pages) return other.columns;
        }
        return {};
    }

    /// Shows what the command would delete and asks for confirmation; empty if the person agrees.
    std::optional<int> refused() {
        if (const auto now = current(); now && now->status >= 300)
            return refuse(*now);
        else if (now && session_.person.there) {
            json::array rows;
            json::error_code ec;
            const json::value body = json::parse(now->body, ec);
            const bool is_list = body.is_object() && body.get_object().contains("data");
            if (is_list)
                rows = body.get_object().at("data").as_array();
            else
                rows.push_back(body);
            print_rows(json::object{{"data", std::move(rows)}}, columns_of_noun(),
                       {output_.err, output_.err, false, output_.look});
        }
        std::string question = filled(command_, command_.question, given_, false);
        if (has(given_, "--cancel-events")) question += " and cancel its events";
        return refuse_unconfirmed(harmless(question), session_.person, "give -y", output_);
    }

    /// --dry-run: the request, and what it would change.
    int show_intent() {
        const auto now = current();
        const bool absent = now && now->status == 404;
        const bool creates = request_.method == "PUT" || command_.current == command_.path;
        if (now && now->status >= 300 && !(absent && creates)) return refuse(*now);
        if (output_.json) {
            base::JsonWriter text;
            text.begin_object().member("dryRun", true).key("request").begin_object();
            text.member("method", request_.method).member("path", request_.target()).key("body");
            request_.body.empty() ? text.null() : text.raw(request_.body);
            text.end_object().key("current");
            now && !absent ? text.raw(now->body) : text.null();
            output_.out << text.end_object().text() << '\n';
            return exit_code::ok;
        }
        output_.out << "would " << request_.method << ' ' << request_.target() << '\n';
        if (absent && request_.method == "PUT")
            output_.out << "it does not exist yet and would be created\n";
        for (const auto& [name, value] : members_of(request_.body)) {
            const std::string before = now && !absent ? plain_text(value_at(now->body, name)) : "";
            const std::string after = plain_text(value);
            output_.out << "  " << harmless(name) << "  ";
            if (now && !absent && request_.method != "POST")
                output_.out << (before.empty() ? "(none)" : harmless(before)) << " -> ";
            output_.out << (after.empty() ? "(none)" : harmless(after)) << '\n';
        }
        if (now && !absent && request_.method == "DELETE") print_members(now->body, output_);
        output_.err << "nothing was changed; the server did not check the request\n";
        return exit_code::ok;
    }

    using PageTaker =
        std::function<void(std::string_view page, std::span<const std::string_view> rows)>;

    /// Reads page after page until `limit` rows. The server may end a page early, even without a
    /// row.
    Answer read_pages(std::size_t limit, const PageTaker& take, bool& more, std::string& cursor) {
        ApiRequest request = request_;
        std::size_t left = limit;
        for (;;) {
            request.set_query("limit", std::to_string(std::min(left, rows_of_page)));
            Answer answer = call(session_.client, request);
            if (answer.status != 200) return answer;
            if (!json_error(answer.body).empty() || value_at(answer.body, "data").empty())
                return {200, ""};
            auto rows = elements_of(value_at(answer.body, "data"));
            rows.resize(std::min(rows.size(), left));
            take(answer.body, rows);
            left -= rows.size();
            more = value_at(answer.body, "hasMore") == "true";
            cursor = value_at(answer.body, "nextCursor");
            if (!more || left == 0 || !output_.out) return answer;
            if (!set_next(request, answer.body, rows)) return answer;
        }
    }
    bool set_next(ApiRequest& request, std::string_view page,
                  std::span<const std::string_view> rows) const {
        switch (command_.paging) {
            case Paging::cursor:
                request.set_query("cursor", plain_text(value_at(page, "nextCursor")));
                return true;
            case Paging::position:
                request.set_query("after", plain_text(value_at(page, "nextPosition")));
                return true;
            case Paging::version: {
                if (rows.empty()) return false;
                const std::uint64_t last = std::strtoull(
                    std::string(value_at(rows.back(), "version")).c_str(), nullptr, 10);
                const bool backward = first_of(given_, "--direction") == "backward";
                request.set_query(backward ? "toVersion" : "fromVersion",
                                  std::to_string(backward ? last - 1 : last + 1));
                return true;
            }
        }
        return false;
    }
    [[nodiscard]] std::size_t limit() const {
        constexpr std::size_t no_limit = static_cast<std::size_t>(-1);
        if (has(given_, "--all") && given_.contains("--limit"))
            throw BadArgument("give --all or --limit, not both");
        return has(given_, "--all") ? no_limit : number_of(given_, "--limit", "50", 1'000'000'000);
    }
    [[nodiscard]] RowPrinter::Format format() const {
        if (output_.json) return RowPrinter::Format::json;
        return has(given_, "--csv") ? RowPrinter::Format::csv : RowPrinter::Format::text;
    }

    int list() {
        sort();
        RowPrinter printer(columns(), format(), output_);
        bool more = false;
        std::string cursor;
        const Answer last = read_pages(
            limit(), [&](std::string_view page, auto rows) { printer.add(page, rows); }, more,
            cursor);
        if (last.status != 200 || last.body.empty()) return refuse(last);
        printer.end(more, cursor);
        return exit_code::ok;
    }
    void sort() {
        const std::string order = first_of(given_, "--sort", command_.default_sort);
        if (!order.empty()) request_.set_query("sort", order);
    }

    /// Polls the list. A terminal shows the whole list each time; elsewhere only new and changed
    /// rows are printed.
    int watch() {
        sort();
        const std::chrono::seconds interval(number_of(given_, "--interval", "2", 86'400));
        const bool redraws = output_.look.width > 0 && format() == RowPrinter::Format::text;
        RowPrinter changes(columns(), output_.json ? RowPrinter::Format::lines : format(), output_);
        std::set<std::string, std::less<>> before;
        for (;;) {
            const auto code = redraws ? redraw() : print_changes(changes, before);
            if (code) return *code;
            if (!wait(interval)) return exit_code::interrupted;
            if (!output_.out) return exit_code::failure;
        }
    }
    /// False after an interrupt.
    [[nodiscard]] bool wait(std::chrono::milliseconds time) const {
        const auto end = session_.wait.elapsed() + time;
        while (session_.wait.elapsed() < end) {
            if (session_.wait.interrupted()) return false;
            session_.wait.sleep(std::min<std::chrono::milliseconds>(100ms, time));
        }
        return !session_.wait.interrupted();
    }
    std::optional<int> redraw() {
        std::ostringstream screen;
        const Output output{screen, screen, false, output_.look};
        RowPrinter printer(columns(), RowPrinter::Format::text, output);
        bool more = false;
        std::string cursor;
        const auto answer =
            look([&](std::string_view page, auto rows) { printer.add(page, rows); }, more, cursor);
        if (!answer) return std::nullopt;
        if (answer->status != 200 || answer->body.empty()) return refuse(*answer);
        printer.end(more, cursor);
        output_.out << "\x1b[H\x1b[2J" << screen.str() << std::flush;
        return std::nullopt;
    }
    std::optional<int> print_changes(RowPrinter& printer,
                                     std::set<std::string, std::less<>>& before) {
        std::set<std::string, std::less<>> now;
        bool more = false;
        std::string cursor;
        const auto answer = look(
            [&](std::string_view page, auto rows) {
                std::vector<std::string_view> fresh;
                for (const std::string_view row : rows) {
                    if (!before.contains(row)) fresh.push_back(row);
                    now.emplace(row);
                }
                printer.add(page, fresh);
            },
            more, cursor);
        if (!answer) return std::nullopt;
        if (answer->status != 200 || answer->body.empty()) return refuse(*answer);
        before = std::move(now);
        return std::nullopt;
    }
    /// Empty if the server does not respond or is busy. Reports that, and the next poll may
    /// succeed.
    std::optional<Answer> look(const PageTaker& take, bool& more, std::string& cursor) {
        try {
            Answer answer = read_pages(limit(), take, more, cursor);
            const bool later = answer.status == 429 || answer.status >= 500;
            if (later) (void)refuse(answer);
            if (!later) return answer;
        } catch (const Unreachable& lost) {
            output_.err << "sundial: " << lost.what() << "; trying again\n";
        }
        return std::nullopt;
    }

    const ApiCommand& command_;
    const Given& given_;
    const Session& session_;
    const Output& output_;
    ApiRequest request_;
};

}  // namespace

int run_command(const ApiCommand& command, const Given& given, const Session& session) {
    try {
        return CommandRun(command, given, session).run();
    } catch (const BadArgument& wrong) {
        session.output.err << "sundial: " << harmless(wrong.what()) << '\n';
        return exit_code::usage;
    }
}

int watch_event(const std::string& id, const Session& session) {
    const Output& output = session.output;
    std::string before;
    for (;;) {
        const Answer answer = session.client.call("GET", "/v1/events/" + path_text(id));
        std::string status, line;
        const int code = print(
            answer, {output.out, output.err, false, output.look}, [&](const json::object& event) {
                status = text_of(event, "status");
                line = painted_state(status, output) + "  attempt " + text_of(event, "attempt");
                const std::string waits = text_of(event, "waitingFor"),
                                  next = text_of(event, "nextAttemptAt"),
                                  reason = text_of(event, "failureReason");
                if (!waits.empty()) line += "  waits for " + waits;
                if (!next.empty()) line += "  next attempt " + next;
                if (!reason.empty()) line += "  " + harmless(reason);
                if (output.json) line = answer.body;
            });
        if (code != 0) return code;
        if (line != before) output.out << line << '\n' << std::flush;
        before = line;
        if (status == "COMPLETED") return exit_code::ok;
        if (status == "FAILED" || status == "CANCELLED") return exit_code::failure;
        if (session.wait.timeout && session.wait.elapsed() >= *session.wait.timeout) {
            output.err << "sundial: the event is still " << status << '\n';
            return exit_code::timed_out;
        }
        if (session.wait.interrupted() || !output.out) return exit_code::interrupted;
        session.wait.sleep(200ms);  // as often as a person can read
    }
}

}  // namespace sundial::cli
