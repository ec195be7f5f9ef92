#include "adapters/webhook/inbox_kind.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "adapters/webhook/request.hpp"
#include "application/ports/failures.hpp"
#include "domain/outcome.hpp"
#include "domain/time/text.hpp"

namespace sundial::webhook {
namespace {

/// A READ key sees what an inbox received, so it gets hints in place of the values.
HeaderList hints_of(const std::vector<EndpointHeader>& headers) {
    HeaderList hints;
    for (const EndpointHeader& header : headers) hints.emplace_back(header.name, header.hint);
    return hints;
}

using Steady = std::chrono::steady_clock;

/// An event waits at most this long for the answer of an inbox.
constexpr std::chrono::seconds longest_inbox_delay{60};

std::optional<int> inbox_status_in(std::string_view text) {
    int status = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), status);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    return whole && status >= 200 && status <= 599 ? std::optional{status} : std::nullopt;
}

std::optional<std::chrono::seconds> inbox_delay_in(const std::string& text) {
    const auto delay = parse_duration(text);
    if (!delay || *delay < std::chrono::seconds{0} || *delay > longest_inbox_delay) {
        return std::nullopt;
    }
    return *delay;
}

std::string option_of(const Endpoint& endpoint, const char* name, const char* otherwise) {
    const auto found = endpoint.options.find(name);
    return found == endpoint.options.end() ? otherwise : found->second;
}

Outcome unkept(std::string why) {
    Outcome outcome;
    outcome.error = DeliveryErrorCode::worker;
    outcome.error_text = std::move(why);
    return outcome;
}

const std::string* header_of(const InboxRequest& request, std::string_view name) {
    const auto found = std::ranges::find(request.headers, name, &HeaderText::first);
    return found == request.headers.end() ? nullptr : &found->second;
}

/// The instant of a `webhook-timestamp`.
std::optional<std::chrono::sys_seconds> stamp_in(const std::string* text) {
    constexpr std::int64_t year_10000 = 253'402'300'800;
    std::int64_t count = 0;
    if (text == nullptr) return std::nullopt;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), count);
    const bool whole = error == std::errc{} && end == text->data() + text->size();
    if (!whole || count < 0 || count >= year_10000) return std::nullopt;
    return std::chrono::sys_seconds{std::chrono::seconds{count}};
}

/// The answer of an inbox, and how long it takes.
struct InboxAnswer {
    Outcome outcome;
    std::chrono::seconds after{0};
};

InboxAnswer answer_of(const Endpoint& endpoint) {
    const auto delay = inbox_delay_in(option_of(endpoint, inbox_delay_option, "PT0S"));
    InboxAnswer answer{.outcome = {}, .after = delay.value_or(std::chrono::seconds{0})};
    Outcome& outcome = answer.outcome;
    if (answer.after >= endpoint.timeout) {
        answer.after = endpoint.timeout;
        outcome.error = DeliveryErrorCode::timeout;
        outcome.error_text = "no answer in " + std::to_string(endpoint.timeout.count()) + " s";
        outcome.duration = answer.after;
        return answer;
    }
    const int status =
        inbox_status_in(option_of(endpoint, inbox_status_option, "204")).value_or(204);
    outcome.status_code = status;
    outcome.verdict = judge_status(status, 0);
    if (outcome.verdict != Verdict::accepted) outcome.error = DeliveryErrorCode::http_status;
    outcome.duration = answer.after;
    return answer;
}

/// One thread writes all waiting requests in one transaction, and answers each after its delay; the
/// worker's slots bound how many can wait.
class InboxDelivery final : public Delivery {
public:
    InboxDelivery(Store& store, Secrets& secrets, Ids& ids, std::string user_agent);
    ~InboxDelivery() override;
    InboxDelivery(const InboxDelivery&) = delete;
    InboxDelivery& operator=(const InboxDelivery&) = delete;

    void start(DeliveryRequest request, std::function<void(Outcome)> done) override;

private:
    struct Waiting {
        DeliveryRequest request;
        std::vector<OpenKey> keys;
        std::function<void(Outcome)> done;
    };
    void run();
    /// The error if they could not be stored.
    [[nodiscard]] std::optional<Outcome> keep(const std::vector<Waiting>& batch);
    void answer(std::vector<Waiting> batch);
    /// Gives the answers that are due; all of them when the process stops.
    void give_answers(bool all);

    Store& store_;
    Secrets& secrets_;
    Ids& ids_;
    std::string user_agent_;
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::vector<Waiting> waiting_;
    bool stopping_ = false;
    struct Delayed {
        Outcome outcome;
        std::function<void(Outcome)> done;
    };
    std::multimap<Steady::time_point, Delayed> delayed_;  // of the thread alone
    std::thread thread_;
};

InboxDelivery::InboxDelivery(Store& store, Secrets& secrets, Ids& ids, std::string user_agent)
    : store_(store),
      secrets_(secrets),
      ids_(ids),
      user_agent_(std::move(user_agent)),
      thread_([this] { run(); }) {}

InboxDelivery::~InboxDelivery() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    arrived_.notify_one();
    thread_.join();
}

void InboxDelivery::start(DeliveryRequest request, std::function<void(Outcome)> done) {
    std::vector<OpenKey> keys;
    try {
        keys = open_keys(signing_at(request.endpoint->signing_keys, request.now), secrets_);
    } catch (const Corrupt& error) {
        done(unkept(error.what()));
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back({std::move(request), std::move(keys), std::move(done)});
    }
    arrived_.notify_one();
}

void InboxDelivery::run() {
    const SchedulerScope scheduler;
    while (true) {
        std::vector<Waiting> batch;
        bool stopping = false;
        {
            std::unique_lock lock(mutex_);
            const auto is_needed = [this] { return stopping_ || !waiting_.empty(); };
            if (delayed_.empty()) {
                arrived_.wait(lock, is_needed);
            } else {
                arrived_.wait_until(lock, delayed_.begin()->first, is_needed);
            }
            batch.swap(waiting_);
            stopping = stopping_;
        }
        if (!batch.empty()) answer(std::move(batch));
        give_answers(stopping);
        if (stopping && delayed_.empty()) {
            const std::lock_guard lock(mutex_);
            if (waiting_.empty()) return;
        }
    }
}

void InboxDelivery::answer(std::vector<Waiting> batch) {
    const auto failed = keep(batch);
    const auto now = Steady::now();
    for (Waiting& one : batch) {
        if (failed) {
            one.done(*failed);
            continue;
        }
        InboxAnswer its = answer_of(*one.request.endpoint);
        if (its.after == std::chrono::seconds{0}) {
            one.done(std::move(its.outcome));
        } else {
            delayed_.emplace(now + its.after, Delayed{std::move(its.outcome), std::move(one.done)});
        }
    }
}

void InboxDelivery::give_answers(bool all) {
    const auto now = Steady::now();
    while (!delayed_.empty() && (all || delayed_.begin()->first <= now)) {
        auto due = delayed_.extract(delayed_.begin());
        due.mapped().done(std::move(due.mapped().outcome));
    }
}

std::optional<Outcome> InboxDelivery::keep(const std::vector<Waiting>& batch) {
    try {
        store_.transact([&](Transaction& tx) {
            for (const Waiting& one : batch) {
                const Endpoint& endpoint = *one.request.endpoint;
                std::string body = request_body(one.request.event, endpoint.format);
                auto headers = request_headers(
                    one.request, body, {.keys = one.keys, .headers = hints_of(endpoint.headers)},
                    user_agent_);
                tx.inbox().add({.id = ids_.fresh(),
                                .endpoint = endpoint.id,
                                .received_at = tx.now(),
                                .headers = std::move(headers),
                                .body = std::move(body)});
            }
            return true;
        });
    } catch (const std::exception& error) {  // only these attempts fail
        return unkept(error.what());
    }
    return std::nullopt;
}

}  // namespace

InboxKind::InboxKind(Settings settings, Store& store, Secrets& secrets, Ids& ids)
    : allowed_(settings.allowed),
      secrets_(secrets),
      delivery_(
          std::make_unique<InboxDelivery>(store, secrets, ids, std::move(settings.user_agent))) {}

InboxKind::~InboxKind() = default;

std::vector<std::string> InboxKind::options() const {
    return {inbox_delay_option, inbox_status_option};
}

std::vector<FieldError> InboxKind::refuse_new(const TypeSettings& given) const {
    std::vector<FieldError> found;
    if (!allowed_) {
        found.push_back({"/type", "not_allowed",
                         "INBOX endpoints are disabled (ui.inbox); they are for development"});
    }
    auto others = refuse_edit(given);
    found.insert(found.end(), others.begin(), others.end());
    return found;
}

std::vector<FieldError> InboxKind::refuse_edit(const TypeSettings& given) const {
    std::vector<FieldError> found;
    const auto refuse = [&found](bool is_given, const char* pointer, const char* message) {
        if (is_given) found.push_back({pointer, "not_allowed", message});
    };
    for (const auto& [name, value] : given.options) {
        if (name == inbox_status_option && !inbox_status_in(value)) {
            found.push_back({"/" + name, "out_of_range", "must be a status from 200 to 599"});
        }
        if (name == inbox_delay_option && !inbox_delay_in(value)) {
            found.push_back({"/" + name, "out_of_range",
                             "must be an exact duration from PT0S to PT60S, such as PT5S"});
        }
    }
    refuse(given.url.has_value(), "/url", "an INBOX has no URL");
    refuse(given.ed25519, "/ed25519", "an INBOX signs by its secret alone");
    return found;
}

SignatureCheck InboxKind::check_signature(const Endpoint& endpoint,
                                          const InboxRequest& request) const {
    const auto* id = header_of(request, "webhook-id");
    const auto* signatures = header_of(request, "webhook-signature");
    const auto stamp = stamp_in(header_of(request, "webhook-timestamp"));
    SignatureCheck check;
    if (stamp) {
        check.age = std::chrono::floor<std::chrono::milliseconds>(request.received_at - *stamp);
    }
    if (signatures == nullptr) return check;
    check.state = SignatureState::invalid;
    if (id == nullptr || !stamp) return check;
    std::set<SignatureScheme> seen;
    for (const SigningKey& key : endpoint.signing_keys) {
        const bool is_newest = seen.insert(key.scheme).second;
        try {
            const OpenKey open{key.scheme, secrets_.open(key.sealed)};
            if (!is_signed(*signatures, open, *id, *stamp, request.body)) continue;
        } catch (const Corrupt&) {  // it was sealed under a key that this server no longer has
            continue;
        }
        check.state = SignatureState::valid;
        check.by_newest = is_newest;
        break;
    }
    return check;
}

}  // namespace sundial::webhook
