#include <array>
#include <boost/json.hpp>
#include <chrono>
#include <cstdint>
#include <exception>
#include <istream>
#include <iterator>
#include <mutex>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "cli/bulk_requests.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr std::size_t max_lines = 1000;                   // per request
constexpr std::size_t max_bytes = 900 * 1024;             // per request, whose limit is 1 MiB
constexpr std::size_t longest_imported_line = 64 * 1024;  // reliability 9
constexpr std::size_t max_reported = 20;                  // refused lines described in words
using exit_code::partly_failed;

struct Line {
    std::size_t number;
    std::string text;
};

class Import {
public:
    Import(const HttpClient& client, const EventFile& file, const WaitOptions& wait_options,
           const Output& output)
        : file_(file),
          wait_options_(wait_options),
          output_(output),
          live_(wait_options_, output.err),
          server_(client, wait_options, [this](const std::string& what) {
              const std::lock_guard lock(mutex_);
              live_.end();
              output_.err << "sundial: " << what << '\n' << std::flush;
          }) {}

    int run() {
        {
            std::vector<std::jthread> threads;
            threads.reserve(file_.requests);
            for (std::size_t i = 0; i < file_.requests; ++i) {
                threads.emplace_back([this] { work(); });
            }
        }
        live_.end();
        report_result();
        if (failure_) std::rethrow_exception(failure_);
        if (code_ != 0) return code_;
        return refused_ == 0 ? 0 : partly_failed;
    }

private:
    void work() {
        try {
            while (const auto batch = next_batch()) store(*batch);
        } catch (const std::exception&) {
            const std::lock_guard lock(mutex_);
            over_ = true;
            if (!failure_) failure_ = std::current_exception();
        }
    }

    struct Batch {
        std::string name;  // ends the Idempotency-Key
        std::vector<Line> lines;
    };
    /// Each with its own name: they are separate requests.
    static std::array<Batch, 2> halves(const Batch& whole) {
        const auto middle = whole.lines.begin() + std::ssize(whole.lines) / 2;
        return {Batch{whole.name + 'a', {whole.lines.begin(), middle}},
                Batch{whole.name + 'b', {middle, whole.lines.end()}}};
    }
    std::optional<Batch> next_batch() {
        const std::lock_guard lock(mutex_);
        if (!over_ && wait_options_.interrupted()) {
            over_ = true;
            code_ = exit_code::interrupted;
            live_.end();
            output_.err
                << "sundial: stopped after line " << lines_ << " of " << file_.name
                << "; import the file again to continue: events with a key of their own are "
                   "found as already stored\n";
        }
        Batch batch{.name = std::to_string(++batches_), .lines = {}};
        std::size_t bytes = 0;
        while (!over_ && batch.lines.size() < max_lines && bytes < max_bytes) {
            auto line = next_line();
            if (!line) break;
            bytes += line->text.size();
            batch.lines.push_back(*std::move(line));
        }
        if (batch.lines.empty()) return std::nullopt;
        return batch;
    }
    /// The next line that is JSON.
    std::optional<Line> next_line() {
        std::string text;
        while (std::getline(file_.lines, text)) {
            ++lines_;
            bytes_ += text.size() + 1;
            if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
            Line line{lines_, std::move(text)};
            json::error_code wrong;
            if (line.text.size() > longest_imported_line) {
                refuse(line, "is longer than 64 KiB");
            } else if (json::parse(line.text, wrong); wrong) {
                refuse(line, "is not JSON: " + wrong.message());
            } else {
                return line;
            }
            text.clear();
        }
        if (file_.lines.bad()) {
            throw std::runtime_error("cannot read " + file_.name + " beyond line " +
                                     std::to_string(lines_));
        }
        return std::nullopt;
    }

    /// Sends a batch that is refused as a whole in halves, until the invalid lines are found.
    void store(const Batch& batch) {
        if (file_.dry_run) {
            const std::lock_guard lock(mutex_);
            stored_ += batch.lines.size();
            return;
        }
        std::string body = R"({"events":[)";
        for (const Line& line : batch.lines) {
            if (&line != &batch.lines.front()) body += ',';
            body += line.text;
        }
        body += "]}";
        const Answer answer = server_.post(
            "/v1/events/batch", body,
            {.headers = {"Idempotency-Key: " + file_.key + '-' + batch.name}, .timeout = 0ms});
        const bool of_content = refused_for_content(answer);
        if (of_content && batch.lines.size() > 1) {
            for (const Batch& half : halves(batch)) store(half);
            return;
        }
        const std::lock_guard lock(mutex_);
        json::error_code wrong;
        const json::value parsed = json::parse(answer.body, wrong);
        if (of_content && !wrong && parsed.is_object()) {
            return refuse(batch.lines.front(), problem_text(parsed.get_object(), "/events/0"));
        }
        const json::value* data =
            wrong || !parsed.is_object() ? nullptr : parsed.get_object().if_contains("data");
        if (answer.status >= 300 || data == nullptr) {
            if (over_) return;
            over_ = true;  // does not concern single lines
            code_ = print(answer, {output_.out, output_.err, false}, [](const json::object&) {});
            if (code_ == 0) code_ = 1;
            return;
        }
        const json::array& items = data->as_array();
        for (std::size_t i = 0; i < batch.lines.size(); ++i) {
            count(batch.lines[i], items.at(i).as_object());
        }
        live_.show(summary() + rate());
    }

    // The functions below need the lock held.

    void count(const Line& line, const json::object& item) {
        if (!item.contains("code")) {
            ++stored_;
        } else if (text_of(item, "code") == "DUPLICATE_IDEMPOTENCY_KEY") {
            ++existing_;
        } else {
            refuse(line, problem_text(item));
        }
    }
    void refuse(const Line& line, const std::string& why) {
        ++refused_;
        if (file_.refused != nullptr) *file_.refused << line.text << '\n';
        if (refused_ > max_reported) return;
        live_.end();
        output_.err << file_.name << ':' << line.number << ": " << why << '\n';
        if (refused_ == max_reported) output_.err << "further refused lines are only counted\n";
    }
    [[nodiscard]] std::string summary() const {
        if (file_.dry_run) {
            return std::to_string(stored_) + " would be sent, " + std::to_string(refused_) +
                   " refused";
        }
        return std::to_string(stored_) + " stored, " + std::to_string(existing_) +
               " there already, " + std::to_string(refused_) + " refused";
    }
    [[nodiscard]] std::string rate() const {
        return rate_text(stored_ + existing_, bytes_, file_.bytes, wait_options_.elapsed());
    }
    void report_result() const {
        if (!output_.json) {
            output_.out << summary() << '\n';
            return;
        }
        base::JsonWriter result;
        result.begin_object().member("stored", stored_).member("existing", existing_);
        result.member("refused", refused_).end_object();
        output_.out << result.text() << '\n';
    }

    const EventFile& file_;
    const WaitOptions& wait_options_;
    const Output& output_;
    std::mutex mutex_;  // guards all below
    LiveLine live_;
    PatientClient server_;
    std::size_t lines_ = 0, batches_ = 0;
    std::uint64_t bytes_ = 0;  // read
    std::uint64_t stored_ = 0, existing_ = 0, refused_ = 0;
    bool over_ = false;
    int code_ = 0;
    std::exception_ptr failure_;
};

}  // namespace

int import_events(const HttpClient& client, const EventFile& file, const WaitOptions& wait_options,
                  const Output& output) {
    return Import{client, file, wait_options, output}.run();
}

}  // namespace sundial::cli
