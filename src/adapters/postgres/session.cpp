#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/hash.hpp"
#include "adapters/postgres/transaction_sql.hpp"

namespace sundial::postgres {

std::vector<Call> Session::beginning() const {
    return {Call{terms_.begin},
            terms_.of_program ? database_.joining() : database_.configuration(sql::configure)};
}

void Session::note_beginning(const Answer& configured) {
    if (!terms_.of_program) {
        now_ = database_.note_server(configured);
        return;
    }
    database_.refuse_other_database(configured);
    joined_->limits.emplace(sql::restore_limits, configured.get<std::string>(0, 3),
                            configured.get<std::string>(0, 4));
    now_ = configured.get<Instant>(0, 0);
}

std::vector<Answer> Session::run(std::span<const Call> calls) {
    if (!database_.needs_clock(calls)) return run_unchanged(calls);
    return run_unchanged(database_.clock_parameter_.given(calls, now()));
}

std::vector<Answer> Session::run_unchanged(std::span<const Call> calls) {
    ++round_trips_;
    if (now_ && put_off_.empty()) {
        return connection_.run(calls, terms_.prepare, silence_of(calls.size()));
    }
    if (now_) return send({}, calls);
    if (terms_.of_program) joined_.emplace();
    return send(beginning(), calls);
}

std::chrono::milliseconds Session::silence_of(std::size_t calls) const {
    // There are up to one for each shard, and the server may send many answers at once.
    return distributed() ? terms_.silence * static_cast<std::int64_t>(calls) : terms_.silence;
}

std::vector<Answer> Session::send(std::vector<Call> first, std::span<const Call> calls) {
    const bool begins = !first.empty();
    std::vector<Call> all = std::move(first);
    std::ranges::move(std::exchange(put_off_, {}), std::back_inserter(all));
    const auto before = static_cast<std::ptrdiff_t>(all.size());
    all.insert(all.end(), calls.begin(), calls.end());
    auto answers = connection_.run(all, terms_.prepare, silence_of(all.size()));
    if (begins) note_beginning(answers[1]);
    answers.erase(answers.begin(), answers.begin() + before);
    return answers;
}

std::vector<Answer> Session::run_with_settings(std::span<const Call> calls) {
    if (!terms_.of_program) return run(calls);
    std::vector<Call> all{Call{sql::callers_settings}};
    all.insert(all.end(), calls.begin(), calls.end());
    auto answers = run(all);
    if (!joined_->settings) {
        joined_->settings.emplace(sql::restore_settings, answers.front().get<std::string>(0, 0));
    }
    answers.erase(answers.begin());
    return answers;
}

Answer Session::run_text(const std::string& sql, std::span<const SqlValue> values) {
    if (!now_ || !put_off_.empty()) (void)run(std::span<const Call>{});
    ++round_trips_;
    return connection_.run_text(sql, values, terms_.silence);
}

Instant Session::now() {
    if (!now_) (void)run(std::span<const Call>{});
    return *now_;
}

std::uint32_t Session::shards() const { return database_.shards(); }
bool Session::distributed() const { return database_.distributed(); }

std::int16_t Session::shard_of(const IdempotencyKey& key) const {
    return static_cast<std::int16_t>(last_byte_of_sha256(key.value) % shards());
}

void Session::part(const std::function<bool(Session&)>& work) {
    // The session begins with a savepoint then, which serves this part too.
    const bool is_whole = terms_.of_program && !joined_;
    if (!is_whole) (void)now();  // outside of the part, which may fail
    const std::optional<Evidence> evidence_before = evidence_;
    const std::size_t trips_before = round_trips_;
    const auto put_off_before = static_cast<std::ptrdiff_t>(put_off_.size());
    if (!is_whole) put_off_.emplace_back(sql::savepoint);
    // Whether nothing was sent.
    const auto never_began = [&] {
        if (round_trips_ != trips_before) return false;
        put_off_.erase(put_off_.begin() + put_off_before, put_off_.end());
        return true;
    };
    const auto undo = [&] {
        evidence_ = evidence_before;
        if (never_began()) return;
        if (is_whole) return leave(false);
        const std::array calls{Call{sql::rollback_to_savepoint}, Call{sql::release_savepoint}};
        run(calls);
    };
    bool kept = false;
    try {
        kept = work(*this);
    } catch (...) {
        try {
            undo();
        } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): report the first one
        }
        throw;
    }
    if (!kept) return undo();
    if (!never_began() && !is_whole) put_off_.emplace_back(sql::release_savepoint);
}

void Session::leave(bool kept) {
    if (!joined_) return;
    std::vector<Call> all = std::exchange(put_off_, {});
    if (kept && now_) {
        if (joined_->settings) all.push_back(*joined_->settings);
        all.push_back(joined_->limits.value());
    } else {
        all.emplace_back(sql::rollback_to_savepoint);  // settings too
    }
    all.emplace_back(sql::release_savepoint);
    joined_.reset();
    now_.reset();
    connection_.run(all, false, terms_.silence);
}

}  // namespace sundial::postgres
