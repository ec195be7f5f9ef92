#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "adapters/http/handler.hpp"
#include "adapters/http/message.hpp"
#include "application/idempotency/answer_once.hpp"

namespace sundial::http {

/// Whether requests with this method may have an Idempotency-Key: the methods that change
/// something.
[[nodiscard]] bool may_have_key(std::string_view method);

/// Answers requests with an Idempotency-Key: the handler answers the first one, and repeated
/// requests get the same response. The caller is already authenticated and authorized, and the
/// request is valid. Thread-safe.
class KeyedAnswers {
public:
    explicit KeyedAnswers(AnswerOnce& once) : once_(once) {}

    /// `request` has the header field. Throws Unavailable and whatever `handler` throws.
    [[nodiscard]] Response answer(const Request& request, const Handler& handler,
                                  Effects effects) const;

private:
    struct Job;
    struct Wait;
    using Work = std::function<Response()>;
    struct WaitMode {
        std::chrono::seconds wait{0};  // Prefer: wait=n
        bool last = true;              // no further waiting
    };
    /// `wait` belongs to this request, if it already waits.
    [[nodiscard]] Response attempt(const std::shared_ptr<const Job>& job, const Work& work,
                                   WaitMode mode,
                                   const std::shared_ptr<Wait>& wait = nullptr) const;
    [[nodiscard]] Answered run(const Job& job, const Work& work, Response& response) const;
    [[nodiscard]] Response wait_for_other(const std::shared_ptr<const Job>& job,
                                          std::chrono::seconds wait) const;
    [[nodiscard]] Response first(const std::shared_ptr<const Job>& job, Response response,
                                 std::shared_ptr<Wait> wait) const;

    AnswerOnce& once_;
    /// The keys of requests that wait for their response. Connections may outlive this object.
    std::shared_ptr<BusyKeys> waiting_ = std::make_shared<BusyKeys>();
};

/// The refusal of a request that needs a key and has none.
[[nodiscard]] Response key_missing(const Request& request);

}  // namespace sundial::http
