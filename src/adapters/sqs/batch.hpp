#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/outbound/post.hpp"
#include "adapters/sqs/answer.hpp"
#include "adapters/sqs/message.hpp"
#include "adapters/sqs/queue.hpp"
#include "adapters/sqs/signature.hpp"
#include "adapters/sqs/sqs_delivery.hpp"

namespace sundial::sqs {

/// An event whose attempt has started and is not reported yet.
struct Entry {
    DeliveryRequest request;
    Message message;
    std::function<void(Outcome)> done;
    Mono started;
    bool alone = false;  // it shares no request
    [[nodiscard]] Mono deadline() const { return started + request.endpoint->timeout; }
};

/// Reports `outcome` for the entry, with the time that it took until `now`.
void report(Entry& entry, Outcome outcome, Mono now);
/// `text` may come from the service: it is made storable.
[[nodiscard]] Outcome not_accepted(Verdict verdict, DeliveryErrorCode code, std::string_view text);
/// The outcome of an entry that SQS refused. `status`: of the response. `throttles`: requests to
/// its queue that were throttled in succession, this one included; zero if it was not.
[[nodiscard]] Outcome refused_outcome(const SqsError& error, int status,
                                      const DeliveryRequest& request, unsigned throttles);

/// The facts about its queue that a finished batch shows.
struct BatchResult {
    bool throttled = false;
    bool expired_keys = false;
    bool accepted = false;              // all entries
    std::optional<Mono> clock_error{};  // of ours, if it was the reason for the failure
    /// Entries that are not reported, because the request was refused as a whole and one of them
    /// may be the reason. None of them was accepted: send each of them alone.
    std::vector<Entry> refused_together{};
};

/// One request in progress, with the entries that it carries.
class Batch {
public:
    struct World {
        const SenderSettings& settings;
        const DestinationRules& rules;
        const MonotonicClock& clock;
    };
    /// The sender's current knowledge of the queue.
    struct State {
        AwsKeys keys{};
        Mono clock_error{0};     // added to our time to get that of the service
        unsigned throttles = 0;  // as for refused_outcome, before this batch
    };
    /// It is signed once its connection stands. `entries`: at least one.
    Batch(std::string queue_key, Queue queue, std::vector<Entry> entries, State state, World world);
    ~Batch();
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;

    [[nodiscard]] CURL* handle() const { return handle_.get(); }
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    [[nodiscard]] const std::string& queue_key() const { return queue_key_; }
    [[nodiscard]] const std::string& host() const { return queue_.host; }
    [[nodiscard]] const AwsKeys& keys() const { return state_.keys; }

    /// Reports all outcomes, once, or returns the entries in `refused_together`; `curl_code` is
    /// libcurl's result.
    [[nodiscard]] BatchResult finish(int curl_code);
    /// The same, with the same outcome for all.
    void report_all(const Outcome& outcome);
    /// The same: the leases of those that `is_it` finds are lost, and the request ends with them.
    void give_up(const std::function<bool(const Entry&)>& is_it, const char* why);

private:
    struct Callbacks;

    void set_up();
    void sign();
    void head_line(std::string_view line);
    /// The real time, by our clock.
    [[nodiscard]] Instant our_time() const;
    [[nodiscard]] std::optional<Mono> clock_error_shown() const;
    [[nodiscard]] Outcome failure(int curl_code) const;
    [[nodiscard]] BatchResult judge_error(SqsError error);
    [[nodiscard]] BatchResult judge_results(std::vector<EntryResult> results);
    /// `error`, without texts that repeat the session token: error pages may repeat the request.
    [[nodiscard]] SqsError without_token(SqsError error) const;

    std::string queue_key_;
    Queue queue_;
    std::vector<Entry> entries_;
    State state_;
    World world_;
    std::string body_;
    std::size_t taken_ = 0;  // bytes of the body passed to libcurl
    int status_ = 0;
    std::size_t head_bytes_ = 0;
    std::string date_;      // of the response
    std::string response_;  // its body
    bool too_long_ = false;
    bool denied_ = false;  // the rules refused each address so far
    bool opened_ = false;  // a connection was allowed
    bool sent_ = false;
    outbound::List headers_;
    outbound::Handle handle_;
};

}  // namespace sundial::sqs
