#include "cli/commands.hpp"

#include <boost/json.hpp>
#include <cstdlib>
#include <ostream>

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

int wait_for_operation(const HttpClient& client, const std::string& id,
                       const WaitOptions& wait_options, const Output& output) {
    OperationProgress progress(wait_options, output.err);
    // From here on an interrupt ends the wait, even if it comes with the first progress.
    (void)wait_options.interrupted();
    for (;;) {
        const Answer answer = client.call("GET", "/v1/operations/" + path_text(id));
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
        if (wait_options.interrupted()) {
            progress.end();
            output.err << "sundial: the operation " << id
                       << " continues on the server. Follow it with `sundial op wait " << id
                       << "`, or stop it with `sundial op stop " << id << "`.\n";
            return exit_code::interrupted;
        }
        if (wait_options.timeout && wait_options.elapsed() >= *wait_options.timeout) {
            progress.end();
            output.err << "sundial: the operation is still running; it continues on the server\n";
            return exit_code::timed_out;
        }
        wait_options.sleep(std::chrono::milliseconds(200));  // as often as a person can read
    }
}

}  // namespace sundial::cli
