#include "adapters/http/keyed_answers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "adapters/http/json.hpp"
#include "adapters/http/problem.hpp"
#include "application/ports/failures.hpp"
#include "base/json.hpp"

namespace sundial::http {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view field_name = "Idempotency-Key";
constexpr std::size_t longest_key = 255;
constexpr std::chrono::seconds longest_wait = 30s;  // the same as for pull workers
/// Polling interval while another request with the same key runs. Polling, because the other
/// request may run on another instance.
constexpr std::chrono::milliseconds between_key_checks = 50ms;

/// All values of a field, as if they were sent in one.
std::string joined(const Headers& headers, std::string_view name) {
    std::string all;
    for (const Parameter& field : headers.all()) {
        if (same_ignoring_case(field.name, name)) all += (all.empty() ? "" : ", ") + field.value;
    }
    return all;
}

Problem bad_key(const char* code, std::string message) {
    return validation_failed({{std::string(field_name), code, std::move(message)}});
}

Response refused_key(const Problem& problem, const Request& request) {
    Response response = to_response(problem, request);
    response.headers.set("Link", R"(</docs/guide/idempotency>; rel="help")");
    return response;
}

/// The text between the quotes of a string of RFC 9651; empty if it is not one.
std::optional<std::string> unquoted(std::string_view text) {
    if (text.size() < 2 || text.back() != '"') return std::nullopt;
    text = text.substr(1, text.size() - 2);
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') return std::nullopt;
        if (text[i] == '\\') {
            ++i;
            if (i == text.size() || (text[i] != '"' && text[i] != '\\')) return std::nullopt;
        }
        plain += text[i];
    }
    return plain;
}

Response in_progress(const Request& request, const InProgress& other) {
    return to_response({.code = Code::idempotency_in_progress,
                        .detail = "The first request with this Idempotency-Key is still running; "
                                  "send the request again, or wait with Prefer: wait=10",
                        .retry_after = other.ask_again_in},
                       request);
}

base::Result<std::string, Problem> key_of(const Request& request) {
    const auto count = std::ranges::count_if(request.headers.all(), [](const Parameter& field) {
        return same_ignoring_case(field.name, field_name);
    });
    if (count > 1) return bad_key("bad_format", "must be sent once");
    const std::string_view sent = request.headers.find(field_name).value_or("");
    const auto key = sent.starts_with('"') ? unquoted(sent) : std::optional(std::string(sent));
    if (!key) return bad_key("bad_format", "begins with a quote but is not a quoted string");
    if (key->empty()) return bad_key("required", "must not be empty");
    if (key->size() > longest_key) return bad_key("too_long", "must have 1 to 255 characters");
    const bool visible = std::ranges::all_of(*key, [](char c) { return c > ' ' && c <= '~'; });
    if (!visible)
        return bad_key("bad_format", "must consist of visible ASCII characters without blanks");
    return *key;
}

/// Everything that makes two requests equal, each part preceded by its length.
std::string identity_of(const Request& request) {
    std::string text;
    const auto add = [&text](std::string_view part) {
        text += std::to_string(part.size()) + ':';
        text += part;
    };
    add(request.method);
    add(request.target);
    add(joined(request.headers, "If-Match"));
    add(joined(request.headers, "If-None-Match"));
    add(request.json ? base::canonical_json(request.body).value_or(request.body) : request.body);
    return text;
}

/// How long the client is willing to wait (RFC 7240).
std::chrono::seconds preferred_wait(const Request& request) {
    const std::string all = joined(request.headers, "Prefer");
    std::string_view rest = all;
    while (!rest.empty()) {
        std::string_view part = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
        part.remove_prefix(std::min(part.size(), part.find_first_not_of(' ')));
        constexpr std::string_view wait = "wait=";
        if (!same_ignoring_case(part.substr(0, wait.size()), wait)) continue;
        part.remove_prefix(wait.size());
        unsigned seconds = 0;
        const auto read = std::from_chars(part.data(), part.data() + part.size(), seconds);
        if (read.ec == std::errc::result_out_of_range) return longest_wait;
        if (read.ec == std::errc{}) return std::min(std::chrono::seconds(seconds), longest_wait);
    }
    return 0s;
}

/// Whether a response is final, so that it is stored.
bool is_kept(const Response& response) {
    constexpr std::array final_refusals{404, 409, 410, 422};
    if (response.retryable) return false;
    return (response.status >= 200 && response.status < 400) ||
           std::ranges::find(final_refusals, response.status) != final_refusals.end();
}

/// In the format of an HTTP message, so that people can read it in the database.
std::string written(const Response& response) {
    std::string text = std::to_string(response.status) + '\n';
    const auto add = [&text](std::string_view name, std::string_view value) {
        text += name;
        text += ": ";
        text += value;
        text += '\n';
    };
    if (!response.content_type.empty()) add("Content-Type", response.content_type);
    for (const Parameter& field : response.headers.all()) add(field.name, field.value);
    return text + '\n' + response.body;
}

Response read_again(std::string_view text) {
    const auto line = [&text]() -> std::string_view {
        const auto end = text.find('\n');
        if (end == std::string_view::npos) throw Corrupt("a kept answer has no end of its head");
        const std::string_view one = text.substr(0, end);
        text.remove_prefix(end + 1);
        return one;
    };
    Response response;
    const std::string_view status = line();
    std::from_chars(status.data(), status.data() + status.size(), response.status);
    for (std::string_view field = line(); !field.empty(); field = line()) {
        const auto colon = std::min(field.find(": "), field.size());
        const std::string_view name = field.substr(0, colon);
        const std::string value(field.substr(std::min(colon + 2, field.size())));
        if (name == "Content-Type") {
            response.content_type = value;
        } else {
            response.headers.add(std::string(name), value);
        }
    }
    response.body = text;
    response.headers.set("Idempotency-Replayed", "true");
    return response;
}

/// Whether to commit the handler's work, and which response to store.
Worked worked(const Response& response) {
    // As if the request was not sent yet.
    if (response.later || response.nothing) return {.commit = true};
    if (!is_kept(response)) return {};
    return {.commit = true, .answer = written(response), .secret = response.secret};
}

}  // namespace

/// A request and its handler, for as long as a connection waits for the response.
struct KeyedAnswers::Job {
    Request request;
    Handler handler;
    Effects effects;
    KeyedRequest keyed;
};

/// A request that waits for its response. Its key stays claimed until the response exists or the
/// wait ends.
struct KeyedAnswers::Wait {
    Wait(std::shared_ptr<const Job> of, std::shared_ptr<BusyKeys> all)
        : job(std::move(of)), waiting(std::move(all)) {
        claim.emplace(*waiting, job->keyed.scope);
    }
    std::shared_ptr<const Job> job;  // this and the next member outlive the claim
    std::shared_ptr<BusyKeys> waiting;
    std::optional<BusyKeys::Claim> claim;
};

bool may_have_key(std::string_view method) {
    return method == "POST" || method == "PUT" || method == "PATCH" || method == "DELETE";
}

Response key_missing(const Request& request) {
    return refused_key(bad_key("required", "is required for this operation"), request);
}

Response KeyedAnswers::answer(const Request& request, const Handler& handler,
                              Effects effects) const {
    const auto key = key_of(request);
    if (!key) return refused_key(key.error(), request);
    const auto job = std::make_shared<const Job>(
        Job{request, handler, effects,
            KeyedRequest{{.tenant = {}, .principal = request.actor, .key = *key},
                         identity_of(request)}});
    const auto wait = preferred_wait(request);
    return attempt(job, [&] { return handler(request); }, {.wait = wait, .last = wait == 0s});
}

Response KeyedAnswers::attempt(const std::shared_ptr<const Job>& job, const Work& work,
                               WaitMode mode, const std::shared_ptr<Wait>& wait) const {
    const Request& request = job->request;
    Response response;
    const bool another_waits = !wait && waiting_->busy(job->keyed.scope);
    const Answered answered = another_waits ? InProgress{} : run(*job, work, response);
    if (const auto* kept = std::get_if<KeptAnswer>(&answered)) return read_again(kept->answer);
    if (const auto* other = std::get_if<InProgress>(&answered)) {
        if (!mode.last) return wait_for_other(job, mode.wait);
        return in_progress(request, *other);
    }
    if (std::holds_alternative<KeyReused>(answered)) {
        return refused_key(
            {.code = Code::idempotency_key_reused,
             .detail = "This Idempotency-Key was already used for another request; use "
                       "a new key for each request"},
            request);
    }
    if (std::holds_alternative<CannotSeal>(answered)) {
        if (response.undelivered) response.undelivered();  // undoes effects outside the store
        return refused_key(
            bad_key("not_allowed",
                    "the response contains a secret, which is stored only encrypted: set "
                    "security.encryption_key, or send the request without an Idempotency-Key"),
            request);
    }
    return first(job, std::move(response), wait);
}

Answered KeyedAnswers::run(const Job& job, const Work& work, Response& response) const {
    if (job.effects == Effects::in_store) {
        return once_.run(job.keyed, [&] {
            response = work();
            return worked(response);
        });
    }
    if (job.effects == Effects::in_batches) {
        bool begun_before = true;
        const auto begin = [&](const std::string& /*so_far*/) {
            begun_before = false;
            return Worked{.commit = true, .answer = "begun"};
        };
        const auto remove = [&](const std::string& /*so_far*/) {
            response = work();
            // An earlier attempt removed it, but the client did not get that response.
            if (begun_before && response.status == 404) response = no_content();
            return worked(response);
        };
        const std::array<AnswerOnce::Step, 2> steps{begin, remove};
        return once_.run(job.keyed, steps);
    }
    const std::array<AnswerOnce::Step, 1> only{[&](const std::string& /*so_far*/) {
        response = work();
        return worked(response);
    }};
    return once_.run(job.keyed, only);
}

Response KeyedAnswers::wait_for_other(const std::shared_ptr<const Job>& job,
                                      std::chrono::seconds wait) const {
    auto answer = [this, job, wait](bool last) {
        return attempt(job, [job] { return job->handler(job->request); },
                       {.wait = wait, .last = last});
    };
    Response response;
    response.later = std::make_shared<const Later>(
        Later{.at_most = wait,
              .listen = [](const std::function<void()>&) { return std::shared_ptr<void>(); },
              .answer = std::move(answer),
              .check_after = between_key_checks});
    return response;
}

/// Returns the handler's own response. If the response comes later, it is then stored under the key
/// as well. `undelivered` is dropped: the effect must stay, because the client repeats the request
/// to get the response.
Response KeyedAnswers::first(const std::shared_ptr<const Job>& job, Response response,
                             std::shared_ptr<Wait> wait) const {
    response.undelivered = nullptr;
    if (!response.later) return response;
    if (!wait) {
        wait = std::make_shared<Wait>(job, waiting_);
        // Another request claimed the key first.
        if (!*wait->claim) return in_progress(job->request, {});
    }
    auto answer = [this, job, wait, later = response.later](bool last) {
        Response again = attempt(job, [later, last] { return later->answer(last); }, {}, wait);
        if (!again.later) wait->claim.reset();
        return again;
    };
    response.later =
        std::make_shared<const Later>(Later{.at_most = response.later->at_most,
                                            .listen = response.later->listen,
                                            .answer = std::move(answer),
                                            .check_after = response.later->check_after});
    return response;
}

}  // namespace sundial::http
