#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "application/idempotency/answer_once.hpp"
#include "application/ports/failures.hpp"
#include "contract/storage.hpp"
#include "support/fake_digest.hpp"
#include "support/fake_seal.hpp"

namespace sundial {

[[nodiscard]] inline KeyedRequest a_request(std::string text = "POST /v1/users {}",
                                            std::string key = "k") {
    return {{.tenant = "", .principal = "key:a", .key = std::move(key)}, std::move(text)};
}

/// Requests with an Idempotency-Key: the rows ID01 to ID22 of the conformance table that do not
/// depend on HTTP. Each request creates a user.
class AnswerOnceContract : public StorageTest {
protected:
    /// Creates a user in a transaction of its own, as use cases do.
    AnswerOnce::Work making_a_user(const std::string& answer = "201 made") {
        return [this, answer] {
            store().transact([](Transaction& tx) { return tx.users().add(a_user()).has_value(); });
            return Worked{.commit = true, .answer = answer};
        };
    }
    /// The outcome in one word, or the text of the answer.
    static std::string outcome_text(const Answered& answered) {
        struct Words {
            std::string operator()(const FirstAnswer&) const { return "first"; }
            std::string operator()(const KeptAnswer& kept) const { return kept.answer; }
            std::string operator()(const InProgress&) const { return "in progress"; }
            std::string operator()(const KeyReused&) const { return "reused"; }
            std::string operator()(const CannotSeal&) const { return "cannot seal"; }
        };
        return std::visit(Words{}, answered);
    }
    std::string ask(const KeyedRequest& request, const AnswerOnce::Work& work) {
        return outcome_text(once_.run(request, work));
    }
    std::size_t users() {
        return read([](Transaction& tx) { return tx.users().list({}).items.size(); });
    }
    std::optional<IdempotencyRecord> kept(const KeyedRequest& request) {
        return read([&](Transaction& tx) { return tx.idempotency().lock(request.scope); });
    }

    FakeDigest digest_;
    FakeSeal seal_;
    AnswerOnceSettings settings_;
    AnswerOnce once_{store(), digest_, seal_, settings_};
};

/// Work in three steps. Each step records that it ran.
class StepsContract : public AnswerOnceContract {
protected:
    std::vector<AnswerOnce::Step> steps(int dies_in = 0) {
        std::vector<AnswerOnce::Step> all;
        for (int number = 1; number <= 3; ++number) {
            all.emplace_back([this, number, dies_in](const std::string& so_far) -> Worked {
                if (number == dies_in) throw Unavailable{"it is away"};
                done_.push_back(number);
                return {.commit = true, .answer = so_far + std::to_string(number)};
            });
        }
        return all;
    }
    std::string ask_in_steps(const std::vector<AnswerOnce::Step>& all) {
        return outcome_text(once_.run(a_request(), all));
    }
    std::vector<int> done_;
};

}  // namespace sundial
