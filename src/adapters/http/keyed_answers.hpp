#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "adapters/http/handler.hpp"
#include "adapters/http/message.hpp"
#include "application/idempotency/answer_once.hpp"
#include "application/idempotency/busy_keys.hpp"

namespace sundial::http {

/// Whether requests of this method are looked at for an Idempotency-Key: those that change
/// something.
[[nodiscard]] bool may_have_key(std::string_view method);

/// Answers requests with an Idempotency-Key: the first one by its handler, those that come again
/// with the same answer. Whoever asks is known by then, may do so, and what he asks for is valid.
/// Thread-safe.
class KeyedAnswers {
public:
    explicit KeyedAnswers(AnswerOnce& once) : once_(once) {}

    /// `request` has the header field. Throws what `handler` does, and Unavailable.
    [[nodiscard]] Response answer(const Request& request, const Handler& handler,
                                  Effects effects) const;

private:
    struct Job;
    struct Wait;
    using Work = std::function<Response()>;
    struct Patience {
        std::chrono::seconds wait{0};  // Prefer: wait=n
        bool last = true;              // it has come to its end
    };
    /// `wait`: of this request, which waits already.
    [[nodiscard]] Response attempt(const std::shared_ptr<const Job>& job, const Work& work,
                                   Patience patience,
                                   const std::shared_ptr<Wait>& wait = nullptr) const;
    [[nodiscard]] Answered run(const Job& job, const Work& work, Response& response) const;
    [[nodiscard]] Response wait_for_other(const std::shared_ptr<const Job>& job,
                                          std::chrono::seconds wait) const;
    [[nodiscard]] Response first(const std::shared_ptr<const Job>& job, Response response,
                                 std::shared_ptr<Wait> wait) const;

    AnswerOnce& once_;
    /// The keys of requests that wait for their answer. Connections may outlive this.
    std::shared_ptr<BusyKeys> waiting_ = std::make_shared<BusyKeys>();
};

/// What a request says that has to have a key, and has none.
[[nodiscard]] Response key_missing(const Request& request);

}  // namespace sundial::http
