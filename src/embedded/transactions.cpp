#include "embedded/transactions.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <variant>

#include "application/delivery/judge_outcome.hpp"
#include "application/ports/idempotency_repository.hpp"
#include "application/requests/queries.hpp"
#include "embedded/parts.hpp"

namespace sundial::embedding {

Result<Done> transact(TransactionPorts& ports,
                      const std::function<Result<Done>(Transaction&)>& work) {
    std::optional<Result<Done>> answer;
    std::vector<std::function<void()>> effects;
    const auto done = answered<Done>(ports.process, [&] {
        ports.storage.store().transact([&](sundial::Transaction& tx) {
            (void)tx.now();  // begins the transaction: a failure here is not one of `work`
            answer.reset();
            effects.clear();
            HeldEffects held;
            Transaction::Parts parts{ports, tx};
            answer = work(parts.self);
            if (parts.failure) std::rethrow_exception(parts.failure);
            if (answer->has_value()) effects = held.take();
            return answer->has_value();
        });
        return Done{};
    });
    if (!done) return done;
    // This transaction may be a part of another one, which has yet to be committed.
    for (auto& effect : effects) after_commit(std::move(effect));
    return *std::move(answer);
}

Result<Instant> Transaction::now() {
    return parts_->call<Instant>([](sundial::Transaction& tx) { return tx.now(); });
}

Result<SqlRows> Transaction::run_sql(const std::string& statement,
                                     std::span<const SqlValue> values) {
    return parts_->call<SqlRows>([&](sundial::Transaction& tx) {
        return parts_->ports.storage.run_sql(tx, statement, values);
    });
}

Result<Event> Transaction::schedule(const NewEvent& requested) {
    return parts_->call<Event>([&](sundial::Transaction&) -> sundial::Result<sundial::Event> {
        const auto event = requested_event(requested);
        if (!event) return event.error();
        auto stored = parts_->ports.events.schedule.run(*event);
        if (!stored) return stored.error();
        return *std::move(stored);
    });
}

Result<Event> Transaction::find_event(const std::string& id) {
    return parts_->call<Event>(
        [&](sundial::Transaction&) { return Queries{parts_->ports.storage.store()}.event(id); });
}

Result<Event> Transaction::cancel(const std::string& id) {
    return parts_->call<Event>([&](sundial::Transaction&) {
        return parts_->ports.events.cancel.run(id, std::nullopt, correlation_id);
    });
}

Result<User> Transaction::create_user(const NewUser& requested) {
    return parts_->call<User>([&](sundial::Transaction&) {
        return parts_->ports.users.create.run(requested_user(requested), correlation_id);
    });
}

Result<Done> Transaction::delete_user(const std::string& id) {
    return parts_->call<Done>([&](sundial::Transaction&) {
        return parts_->ports.users.remove.run(id, UserHistory::erase, std::nullopt, correlation_id);
    });
}

namespace {

/// The event, if a handler of this engine holds it under that version.
std::optional<sundial::Event> held_here(const TransactionPorts& ports, sundial::Transaction& tx,
                                        const Event& claimed) {
    const auto id = event_id(claimed.id);
    if (!id) return std::nullopt;
    auto event = tx.events().find(*id);
    if (!event || event->version.value != claimed.version) return std::nullopt;
    const auto* processing = std::get_if<Processing>(&event->state);
    const bool ours =
        processing && processing->claimed_by == std::optional{Claimant{ports.instance}};
    return ours ? std::move(event) : std::nullopt;
}

}  // namespace

Result<Event> Transaction::complete(const Event& claimed) {
    return parts_->call<Event>([&](sundial::Transaction& tx) -> sundial::Result<sundial::Event> {
        TransactionPorts& ports = parts_->ports;
        const auto held = held_here(ports, tx, claimed);
        if (!held) {
            auto done = ports.settle.complete(claimed.id, Version{claimed.version});
            if (!done) return done.error();
            return *std::move(done);
        }
        Outcome outcome;
        outcome.verdict = Verdict::accepted;
        outcome.duration = tx.now() - held->updated_at;
        const Settlement settlement =
            settlement_of(*held, {}, outcome, Claimant{ports.instance}, held->updated_at, 0.0);
        const auto settled = ports.queue.settle({&settlement, 1}).at(0);
        if (!settled) return settled.error();
        return tx.events().find(held->id).value();
    });
}

Result<Done> Transaction::nested(const std::function<Result<Done>(Transaction&)>& work) {
    TransactionPorts& ports = parts_->ports;
    std::optional<Result<Done>> answer;
    std::vector<std::function<void()>> effects;
    const auto one = [&](sundial::Transaction& tx) {
        HeldEffects held;
        Parts parts{ports, tx};
        answer = work(parts.self);
        if (parts.failure) std::rethrow_exception(parts.failure);
        if (answer->has_value()) effects = held.take();
        return answer->has_value();
    };
    const auto ran = parts_->call<Done>([&](sundial::Transaction&) {
        try {
            ports.storage.store().transact(one);
            for (auto& effect : effects) after_commit(std::move(effect));
        } catch (const StatementRefused& refused) {
            answer = error_of(refused);
        }
        return Done{};
    });
    if (!ran) return ran;
    if (!*answer) parts_->note(answer->error());
    return *std::move(answer);
}

Result<Done> Transaction::guard(const Lock& lock) {
    return parts_->call<Done>([&](sundial::Transaction& tx) -> sundial::Result<Done> {
        if (auto guarded = lock.parts_->guard.guard(tx); !guarded) return guarded.error();
        return Done{};
    });
}

namespace {

constexpr std::chrono::hours answers_are_kept{24};
constexpr std::size_t longest_key = 255;

/// Answers of programs and of the API have keys of their own.
IdempotencyScope scope_of(const std::string& key) {
    return {.tenant = {}, .principal = "library", .key = key};
}

std::optional<ValidationFailed> refuse_key(const std::string& key) {
    const bool visible = std::ranges::all_of(key, [](char c) { return '!' <= c && c <= '~'; });
    if (visible && !key.empty() && key.size() <= longest_key) return std::nullopt;
    return invalid("/key", "bad_format", "must be 1 to 255 visible ASCII characters");
}

/// The stored answer of a key, if any.
struct KnownAnswer {
    bool busy = false;
    std::optional<IdempotencyRecord> record{};
};

}  // namespace

Result<Once> Transaction::once(const std::string& key, const std::string& fingerprint,
                               const std::function<Result<std::string>(Transaction&)>& work) {
    const IdempotencyScope scope = scope_of(key);
    const auto known =
        parts_->call<KnownAnswer>([&](sundial::Transaction& tx) -> sundial::Result<KnownAnswer> {
            if (auto refused = refuse_key(key)) return *std::move(refused);
            if (!tx.idempotency().try_lock(scope)) return KnownAnswer{.busy = true};
            return KnownAnswer{.record = tx.idempotency().lock(scope)};
        });
    if (!known) return known.error();
    const auto refuse = [&](Error error) -> Result<Once> {
        parts_->note(error);
        return error;
    };
    if (known->busy) {
        return refuse({"IDEMPOTENCY_IN_PROGRESS",
                       "another transaction works on the request with the key '" + key + "'",
                       UsedKey{key}});
    }
    const std::string hash = parts_->ports.digest.sha256(fingerprint);
    if (known->record) {
        if (known->record->fingerprint != hash) {
            return refuse({"IDEMPOTENCY_KEY_REUSED",
                           "the key '" + key + "' belongs to a request with another fingerprint",
                           UsedKey{key}});
        }
        return Once{.answer = known->record->answer.value_or(""), .replayed = true};
    }
    auto answer = work(*this);
    if (!answer) return refuse(std::move(answer).error());
    const auto kept = parts_->call<Done>([&](sundial::Transaction& tx) {
        tx.idempotency().put({.scope = scope,
                              .fingerprint = hash,
                              .answer = *answer,
                              .expires_at = tx.now() + answers_are_kept});
        return Done{};
    });
    if (!kept) return kept.error();
    return Once{.answer = *std::move(answer), .replayed = false};
}

std::optional<Error> Transaction::first_error() const { return parts_->first_error; }

CallerTransaction::CallerTransaction(std::unique_ptr<Parts> parts)
    : Transaction(*parts), own_parts_(std::move(parts)) {}

CallerTransaction::CallerTransaction(CallerTransaction&& other) noexcept
    : Transaction(*other.parts_), own_parts_(std::move(other.own_parts_)) {}

CallerTransaction& CallerTransaction::operator=(CallerTransaction&& other) noexcept {
    if (this == &other) return *this;
    committed();
    own_parts_ = std::move(other.own_parts_);
    parts_ = own_parts_.get();
    return *this;
}

CallerTransaction::~CallerTransaction() { committed(); }

void CallerTransaction::committed() {
    if (!own_parts_ || own_parts_->ports.process.forked()) return;
    for (const auto& effect : std::exchange(own_parts_->effects, {})) effect();
}

}  // namespace sundial::embedding
