#include "cli/bulk_requests.hpp"

#include <boost/json.hpp>
#include <chrono>

#include "base/log.hpp"
#include "sundial/retry.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr unsigned retries_unsaid = 2;  // waits for a busy server that are not reported
/// Responses to a whole request that mean "repeat later": its first attempt is still running, or
/// the server is busy.
constexpr int in_progress = 409, too_many_requests = 429, unavailable = 503;
constexpr int bad_request_body = 400, body_too_large = 413;

/// Text of a response that asks all clients to wait.
std::string wait_text(const Answer& answer) {
    const std::string status = "the server responds with " + std::to_string(answer.status);
    json::error_code wrong;
    const json::value parsed = json::parse(answer.body, wrong);
    if (wrong || !parsed.is_object()) return status;
    return status + ' ' + problem_text(parsed.get_object());
}

}  // namespace

bool refused_for_content(const Answer& answer) {
    return answer.status == bad_request_body || answer.status == body_too_large;
}

std::string problem_text(const json::object& problem, std::string_view place) {
    std::string text = text_of(problem, "code") + ' ' + text_of(problem, "detail");
    const json::value* errors = problem.if_contains("errors");
    if (errors == nullptr || !errors->is_array()) return text;
    for (const json::value& error : errors->get_array()) {
        if (!error.is_object()) continue;  // from a proxy
        std::string pointer = text_of(error.get_object(), "pointer");
        if (pointer.starts_with(place)) pointer.erase(0, place.size());
        text += "; " + pointer + ' ' + text_of(error.get_object(), "message");
    }
    return text;
}

std::string rate_text(std::uint64_t rows, std::uint64_t bytes, std::uint64_t all_bytes,
                      std::chrono::milliseconds elapsed) {
    if (elapsed <= 0ms) return "";
    const auto milliseconds = static_cast<std::uint64_t>(elapsed.count());
    std::string text = ", " + std::to_string(rows * 1000 / milliseconds) + "/s";
    if (all_bytes > bytes && bytes > 0) {
        const std::uint64_t left = (all_bytes - bytes) * milliseconds / bytes / 1000;
        text += ", " + std::to_string(left) + " s left";
    }
    return text;
}

Answer PatientClient::post(std::string_view path, const std::string& body,
                           const CallOptions& options) {
    // 0.5 s, 1 s, 2 s, 4 s, then 5 s each: half a minute.
    const RetryRules rules{.max_attempts = 9, .base = 500ms, .cap = 5s, .jitter = Jitter::none};
    for (unsigned retry = 0;; ++retry) {
        const bool last = retry + 1 == rules.max_attempts;
        try {
            Answer answer = client_.call("POST", path, body, options);
            const bool later = answer.status == in_progress || answer.status == too_many_requests ||
                               answer.status == unavailable;
            if (last || !later) {
                report_answer();
                return answer;
            }
            if (retry >= retries_unsaid) report_wait(wait_text(answer));
        } catch (const Unreachable& error) {
            if (last) throw;
            report_wait(base::redacted(error.what()));
        }
        const auto wait = retry_delay(rules, retry, rules.base, 0);
        wait_options_.sleep(std::chrono::duration_cast<std::chrono::milliseconds>(wait));
    }
}

void PatientClient::report_answer() {
    const std::lock_guard lock(mutex_);
    waiting_ = false;
}

void PatientClient::report_wait(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (waiting_) return;
    waiting_ = true;
    say_(why + "; retrying for 30 seconds");
}

}  // namespace sundial::cli
