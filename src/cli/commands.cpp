#include "cli/commands.hpp"

#include <boost/json.hpp>
#include <cstdlib>
#include <ostream>

#include "base/json.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;

/// The progress of an operation.
class OperationProgress {
public:
    OperationProgress(const WaitOptions& wait_options, std::ostream& err)
        : wait_options_(wait_options), line_(wait_options, err) {}

    void show(const json::object& operation) {
        line_.show(operation_line(operation) + rate(operation));
    }
    void end() { line_.end(); }

private:
    /// Rows per second since the first response, and the time that the rest takes at that rate.
    std::string rate(const json::object& operation) {
        const auto done = std::strtoull(text_of(operation, "done").c_str(), nullptr, 10);
        const auto total = std::strtoull(text_of(operation, "total").c_str(), nullptr, 10);
        if (!first_) first_ = {wait_options_.elapsed(), done};
        const auto [since, done_then] = *first_;
        const auto milliseconds = (wait_options_.elapsed() - since).count();
        if (milliseconds <= 0 || done <= done_then) return "";
        const auto per_second =
            (done - done_then) * 1000 / static_cast<std::uint64_t>(milliseconds);
        if (per_second == 0 || total < done) return "";
        return ", " + std::to_string(per_second) + "/s, " +
               std::to_string((total - done) / per_second) + " s left";
    }

    const WaitOptions& wait_options_;
    LiveLine line_;
    std::optional<std::pair<std::chrono::milliseconds, std::uint64_t>> first_;
};

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

int list_operations(const HttpClient& client, bool running, const Output& output) {
    const std::string path =
        std::string("/v1/operations?sort=-createdAt") + (running ? "&status=RUNNING" : "");
    return print(client.call("GET", path), output, [&](const json::object& page) {
        for (const json::value& operation : page.at("data").as_array()) {
            output.out << operation_line(operation.as_object()) << '\n';
        }
    });
}

int wait_for_operation(const HttpClient& client, const std::string& id,
                       const WaitOptions& wait_options, const Output& output) {
    OperationProgress progress(wait_options, output.err);
    for (;;) {
        const Answer answer = client.call("GET", "/v1/operations/" + id);
        std::string status, failed;
        const auto inspect = [&](const json::object& operation) {
            status = text_of(operation, "status");
            failed = text_of(operation, "failed");
            progress.show(operation);
        };
        const int code = print(answer, {output.out, output.err, false}, inspect);
        if (code != 0) return code;
        if (status != "RUNNING") {
            progress.end();
            const auto say = [&](const json::object& over) {
                output.out << operation_line(over) << '\n';
            };
            (void)print(answer, output, say);
            if (status != "COMPLETED") return exit_code::failure;
            return failed == "0" ? exit_code::ok : exit_code::partly_failed;
        }
        if (wait_options.timeout && wait_options.elapsed() >= *wait_options.timeout) {
            progress.end();
            output.err << "sundial: the operation is still running; it continues on the server\n";
            return exit_code::timed_out;
        }
        wait_options.sleep(std::chrono::milliseconds(200));  // as often as a person can read
    }
}

int stop_operation(const HttpClient& client, const std::string& id, const Output& output) {
    return print(
        client.call("DELETE", "/v1/operations/" + id, {}, any_version), output,
        [&](const json::object& stopped) { output.out << operation_line(stopped) << '\n'; });
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
