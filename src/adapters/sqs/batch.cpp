#include "adapters/sqs/batch.hpp"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "base/check.hpp"
#include "base/text.hpp"

namespace sundial::sqs {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t max_head_bytes = 32 * 1024;
constexpr std::size_t max_response_bytes = 256 * 1024;
/// AWS accepts a clock that is wrong by five minutes. Less than a minute is not the reason for a
/// refusal, and Date has whole seconds.
constexpr Mono least_clock_error = std::chrono::minutes(1);
constexpr const char* content_type = "application/x-amz-json-1.0";
constexpr const char* operation = "AmazonSQS.SendMessageBatch";

constexpr int forbidden_status = 403;
constexpr int not_found_status = 404;
constexpr unsigned most_doublings = 6;  // waits of 1 to 64 s

std::chrono::seconds pause_after(unsigned throttles) {
    return std::chrono::seconds(1U << std::min(throttles - 1, most_doublings));
}

/// The address as text and its port; empty for another address family.
std::pair<std::string, std::uint16_t> text_of(const sockaddr& address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (address.sa_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
        if (::inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size()) == nullptr) return {};
        return {text.data(), ntohs(v4.sin_port)};
    }
    if (address.sa_family == AF_INET6) {
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
        if (::inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size()) == nullptr) return {};
        return {text.data(), ntohs(v6.sin6_port)};
    }
    return {};
}

std::string body_of(const Queue& queue, const std::vector<Entry>& entries) {
    base::check(!entries.empty());
    std::vector<Message> messages;
    messages.reserve(entries.size());
    for (const Entry& entry : entries) messages.push_back(entry.message);
    return batch_body(queue, messages);
}

std::string described(const SqsError& error, int status) {
    std::string text = std::to_string(status);
    if (!error.code.empty()) text += ' ' + error.code;
    if (!error.text.empty()) text += ": " + error.text;
    return text;
}

}  // namespace

void report(Entry& entry, Outcome outcome, Mono now) {
    outcome.duration = now - entry.started;
    std::exchange(entry.done, {})(std::move(outcome));
}

Outcome not_accepted(Verdict verdict, DeliveryErrorCode code, std::string_view text) {
    Outcome outcome;
    outcome.verdict = verdict;
    outcome.error = code;
    outcome.error_text = storable_reason(text);
    return outcome;
}

Outcome refused_outcome(const SqsError& error, int status, const DeliveryRequest& request,
                        unsigned throttles) {
    // No status code: the verdict follows from the error, and `judged` must not replace it.
    Outcome outcome =
        not_accepted(Verdict::retryable, DeliveryErrorCode::http_status, described(error, status));
    const std::uint32_t granted = request.endpoint->retry_client_errors;
    const std::uint32_t left = granted - std::min(granted, request.event->retry_count);
    switch (error.kind) {
        case ErrorKind::throttled:
            if (throttles > 0) outcome.retry_after = pause_after(throttles);
            break;
        case ErrorKind::temporary:
        case ErrorKind::expired_keys:
        case ErrorKind::wrong_keys:
        case ErrorKind::skewed_clock:
            break;
        case ErrorKind::denied:
            outcome.verdict = judge_status(forbidden_status, left);
            break;
        case ErrorKind::missing_queue:
            outcome.verdict = judge_status(not_found_status, left);
            break;
        case ErrorKind::refused:
            outcome.verdict = Verdict::permanent;
            break;
    }
    return outcome;
}

struct Batch::Callbacks {
    static Batch& self(void* batch) { return *static_cast<Batch*>(batch); }

    static std::size_t read(char* into, std::size_t size, std::size_t count, void* batch) {
        Batch& to = self(batch);
        const std::size_t bytes = std::min(size * count, to.body_.size() - to.taken_);
        std::copy_n(to.body_.data() + to.taken_, bytes, into);
        to.taken_ += bytes;
        return bytes;
    }

    static std::size_t head(char* line, std::size_t size, std::size_t count, void* batch) {
        Batch& to = self(batch);
        to.head_bytes_ += size * count;
        to.too_long_ = to.head_bytes_ > max_head_bytes;
        if (to.too_long_) return 0;
        to.head_line({line, size * count});
        return size * count;
    }

    static std::size_t body(char* piece, std::size_t size, std::size_t count, void* batch) {
        Batch& to = self(batch);
        to.too_long_ = to.response_.size() + size * count > max_response_bytes;
        if (to.too_long_) return 0;
        to.response_.append(piece, size * count);
        return size * count;
    }

    /// The last check of an address before anything is sent to it, even a SYN.
    static curl_socket_t open(void* batch, curlsocktype /*purpose*/, curl_sockaddr* address) {
        Batch& to = self(batch);
        const auto [text, port] = text_of(address->addr);
        if (text.empty() || to.world_.rules.denied(text, port)) {
            to.denied_ = !to.opened_;
            return CURL_SOCKET_BAD;
        }
        to.opened_ = true;
        to.denied_ = false;
        return outbound::open_socket(address->family, address->socktype, address->protocol,
                                     to.entries_.front().request.endpoint->timeout);
    }

    /// Called when the connection is established, and nothing of the request is sent.
    static int before_request(void* batch, char* peer, char* /*local*/, int peer_port,
                              int /*local_port*/) {
        Batch& to = self(batch);
        // A second call means that the first connection broke during the request. The service may
        // have got any part of it.
        if (std::exchange(to.sent_, true)) return CURL_PREREQFUNC_ABORT;
        if (to.world_.rules.denied(peer, static_cast<std::uint16_t>(peer_port))) {
            to.denied_ = true;
            return CURL_PREREQFUNC_ABORT;
        }
        to.sign();
        return CURL_PREREQFUNC_OK;
    }
};

Batch::Batch(std::string queue_key, Queue queue, std::vector<Entry> entries, State state,
             World world)
    : queue_key_(std::move(queue_key)),
      queue_(std::move(queue)),
      entries_(std::move(entries)),
      state_(std::move(state)),
      world_(world),
      body_(body_of(queue_, entries_)),
      handle_(outbound::post_handle(this, body_.size(), world.settings.ca_file)) {
    set_up();
}

Batch::~Batch() = default;

void Batch::set_up() {
    CURL* const curl = handle_.get();
    Mono deadline = Mono::max();
    for (const Entry& entry : entries_) deadline = std::min(deadline, entry.deadline());
    const Mono left = deadline - world_.clock.now();
    outbound::limit_time(curl, std::chrono::duration_cast<milliseconds>(left),
                         world_.settings.connect_timeout);
    curl_easy_setopt(curl, CURLOPT_URL, queue_.request_url.c_str());
    curl_easy_setopt(curl, CURLOPT_READFUNCTION, &Callbacks::read);
    curl_easy_setopt(curl, CURLOPT_READDATA, this);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &Callbacks::head);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &Callbacks::body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, this);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, &Callbacks::open);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, this);
    curl_easy_setopt(curl, CURLOPT_PREREQFUNCTION, &Callbacks::before_request);
    curl_easy_setopt(curl, CURLOPT_PREREQDATA, this);
}

Instant Batch::our_time() const {
    const Entry& first = entries_.front();
    return first.request.now + (world_.clock.now() - first.started);
}

void Batch::sign() {
    const auto at = std::chrono::floor<std::chrono::seconds>(our_time() + state_.clock_error);
    RequestToSign request{.headers = {{"Content-Type", content_type},
                                      {"Host", queue_.host},
                                      {"X-Amz-Date", amz_date(at)},
                                      {"X-Amz-Target", operation}},
                          .body = body_};
    if (!state_.keys.session_token.empty()) {
        request.headers.emplace_back("X-Amz-Security-Token", state_.keys.session_token);
    }
    auto headers = request.headers;
    headers.emplace_back("Authorization",
                         authorization(request, {.region = queue_.region, .at = at}, state_.keys));
    headers.emplace_back("User-Agent", world_.settings.user_agent);
    headers_ = outbound::set_headers(handle_.get(), headers);
}

void Batch::head_line(std::string_view line) {
    if (line.starts_with("HTTP/")) {
        status_ = 0;
        const std::string_view code = line.substr(std::min(line.size(), line.find(' ') + 1), 3);
        std::from_chars(code.data(), code.data() + code.size(), status_);
        date_.clear();
        return;
    }
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return;
    if (base::same_ignoring_case(line.substr(0, colon), "date")) {
        date_ = base::trimmed(line.substr(colon + 1), " \t\r\n");
    }
}

std::optional<Mono> Batch::clock_error_shown() const {
    const std::time_t date = date_.empty() ? -1 : curl_getdate(date_.c_str(), nullptr);
    if (date < 0) return std::nullopt;
    const Mono error = Instant{std::chrono::seconds(date)} - our_time();
    const Mono changed = std::chrono::abs(error - state_.clock_error);
    return changed >= least_clock_error ? std::optional{error} : std::nullopt;
}

void Batch::report_all(const Outcome& outcome) {
    const Mono now = world_.clock.now();
    for (Entry& entry : entries_) report(entry, outcome, now);
}

BatchResult Batch::finish(int curl_code) {
    constexpr int first_refusal = 300;
    if (curl_code == CURLE_OK && status_ >= 200 && status_ < first_refusal) {
        if (auto results = read_results(response_, entries_.size())) {
            return judge_results(*std::move(results));
        }
        report_all(not_accepted(Verdict::retryable, DeliveryErrorCode::protocol,
                                "the response of SQS cannot be read"));
        return {};
    }
    if (status_ >= first_refusal && !too_long_) {
        SqsError error = without_token(read_error(status_, response_));
        // One entry may be the reason. None of them was accepted, so each may be sent alone.
        if (error.kind == ErrorKind::refused && entries_.size() > 1) {
            return {.refused_together = std::move(entries_)};
        }
        return judge_error(std::move(error));
    }
    report_all(failure(curl_code));
    return {};
}

SqsError Batch::without_token(SqsError error) const {
    constexpr std::size_t piece = 16;
    const std::string_view token = state_.keys.session_token;
    for (std::size_t at = 0; at + piece <= token.size(); at += piece) {
        for (std::string* text : {&error.code, &error.text}) {
            if (text->find(token.substr(at, piece)) != std::string::npos) {
                *text = "(the response repeats the session token)";
            }
        }
    }
    return error;
}

BatchResult Batch::judge_results(std::vector<EntryResult> results) {
    BatchResult batch{.accepted = true};
    for (const EntryResult& result : results) {
        batch.accepted = batch.accepted && !result;
        batch.throttled = batch.throttled || (result && result->kind == ErrorKind::throttled);
    }
    const Mono now = world_.clock.now();
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        Outcome outcome;
        if (results[i]) {
            outcome =
                refused_outcome(without_token(*std::move(results[i])), status_, entries_[i].request,
                                batch.throttled ? state_.throttles + 1 : 0);
        } else {
            outcome.verdict = Verdict::accepted;
            outcome.status_code = status_;
        }
        report(entries_[i], std::move(outcome), now);
    }
    return batch;
}

BatchResult Batch::judge_error(SqsError error) {
    BatchResult batch{.throttled = error.kind == ErrorKind::throttled,
                      .expired_keys = error.kind == ErrorKind::expired_keys};
    const bool by_time =
        error.kind == ErrorKind::skewed_clock || error.kind == ErrorKind::wrong_keys;
    if (by_time) batch.clock_error = clock_error_shown();
    if (batch.clock_error) {
        const auto seconds = std::chrono::round<std::chrono::seconds>(*batch.clock_error).count();
        error.text += " (the clocks of AWS and of the database differ by " +
                      std::to_string(std::abs(seconds)) + " s; later requests allow for that)";
    }
    const Mono now = world_.clock.now();
    for (Entry& entry : entries_) {
        report(entry,
               refused_outcome(error, status_, entry.request,
                               batch.throttled ? state_.throttles + 1 : 0),
               now);
    }
    return batch;
}

Outcome Batch::failure(int curl_code) const {
    const auto retryable = [](DeliveryErrorCode code, std::string_view text) {
        return not_accepted(Verdict::retryable, code, text);
    };
    if (denied_) {
        return not_accepted(Verdict::permanent, DeliveryErrorCode::destination_forbidden,
                            outbound::forbidden_address);
    }
    if (too_long_) return retryable(DeliveryErrorCode::protocol, "the response is too long");
    std::string text = outbound::error_text(curl_code);
    if (curl_code == CURLE_OPERATION_TIMEDOUT) {
        text = sent_ ? "no response in time" : "no connection in time";
    }
    const bool cut = curl_code == CURLE_PARTIAL_FILE || curl_code == CURLE_GOT_NOTHING;
    return retryable(cut ? DeliveryErrorCode::connect : outbound::error_code(curl_code), text);
}

void Batch::give_up(const std::function<bool(const Entry&)>& is_it, const char* why) {
    const Mono now = world_.clock.now();
    for (Entry& entry : entries_) {
        const bool its_own = is_it(entry);
        report(entry,
               not_accepted(Verdict::retryable,
                            its_own ? DeliveryErrorCode::lease_lost : DeliveryErrorCode::connect,
                            its_own ? why : "abandoned with another event of its request"),
               now);
    }
}

}  // namespace sundial::sqs
