#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <thread>
#include <variant>

#include "base/check.hpp"
#include "base/saturate.hpp"
#include "sundial/cache.hpp"
#include "sundial/exceptions.hpp"
#include "sundial/retry.hpp"
#include "sundial/single_flight.hpp"
#include "sundial/sql.hpp"

namespace sundial {

std::optional<std::string> defect_of(const CacheRules& rules) {
    constexpr std::chrono::microseconds none{0};
    if (rules.ttl <= none) return "ttl is longer than nothing";
    if (!(0.0 <= rules.ttl_jitter && rules.ttl_jitter < 1.0)) return "ttl_jitter is in [0, 1)";
    if (rules.stale_while_revalidate < none || rules.stale_if_error < none ||
        rules.negative_ttl < none) {
        return "no duration is negative";
    }
    if (!(rules.early_refresh >= 0.0)) return "early_refresh is at least 0";
    if (rules.max_entries == 0) return "max_entries is at least 1";
    return std::nullopt;
}

namespace detail {

Timing::Moment later(Timing::Moment at, std::chrono::microseconds time) {
    const auto sum = base::later(
        std::chrono::duration_cast<std::chrono::microseconds>(at.time_since_epoch()), time);
    constexpr auto last =
        std::chrono::floor<std::chrono::microseconds>(Timing::Moment::max().time_since_epoch());
    return sum >= last ? Timing::Moment::max() : at + time;
}

Timing::Moment end_of_ttl(const CacheRules& rules, Timing::Moment now, double random) {
    const double factor = 1.0 - rules.ttl_jitter + 2.0 * rules.ttl_jitter * random;
    const std::chrono::duration<double, std::micro> ttl = rules.ttl * factor;
    if (ttl >= std::chrono::microseconds::max()) return Timing::Moment::max();
    return later(now, std::chrono::duration_cast<std::chrono::microseconds>(ttl));
}

bool refreshes_early(const CacheRules& rules, Timing::Moment::duration took,
                     Timing::Moment::duration remaining, Timing& timing) {
    const auto gap = rules.early_refresh * std::chrono::duration<double>{took};
    constexpr double longest = 37.0;  // −ln(u) of the smallest u that 53 random bits yield
    if (remaining > gap * longest) return false;
    return -gap * std::log(1.0 - timing.unit()) >= remaining;
}

}  // namespace detail

namespace {

using std::chrono::microseconds;

constexpr std::int64_t token = 1'000'000;

/// Upper bound of a balance, so that adding two balances cannot overflow. No program makes that
/// many calls.
constexpr double token_ceiling = 1e12;

std::int64_t millionths(double tokens) {
    if (!(tokens > 0.0)) return 0;  // NaN, too
    return std::llround(std::min(tokens, token_ceiling) * token);
}

/// base · 2^retry, at most the cap, without overflow.
microseconds doubled(const RetryRules& rules, unsigned retry) {
    constexpr unsigned max_bits = 62;
    const unsigned bits = std::min(retry, max_bits);
    if (rules.base.count() > rules.cap.count() >> bits) return rules.cap;
    return rules.base * (std::int64_t{1} << bits);
}

microseconds part_of(microseconds whole, double random) {
    return microseconds{
        static_cast<microseconds::rep>(random * static_cast<double>(whole.count()))};
}

}  // namespace

RetryBudget::RetryBudget(const Settings& settings)
    : per_call_{millionths(settings.per_call)},
      floor_{millionths(settings.floor_per_second)},
      max_tokens_{millionths(settings.max_tokens)},
      floor_left_{floor_} {}

void RetryBudget::first_call() {
    const std::lock_guard lock{mutex_};
    tokens_ = std::min(max_tokens_, tokens_ + per_call_);
}

bool RetryBudget::take(Timing::Moment now) {
    const std::lock_guard lock{mutex_};
    const auto idle = std::chrono::duration<double>(now - floor_filled_.value_or(now));
    floor_left_ = std::min(floor_, floor_left_ + millionths(std::min(idle.count(), 1.0) *
                                                            static_cast<double>(floor_) / token));
    floor_filled_ = now;
    for (Millionths* balance : {&tokens_, &floor_left_}) {
        if (*balance < token) continue;
        *balance -= token;
        return true;
    }
    ++refused_;
    return false;
}

double RetryBudget::tokens() const {
    const std::lock_guard lock{mutex_};
    return static_cast<double>(tokens_) / token;
}

std::uint64_t RetryBudget::refused() const {
    const std::lock_guard lock{mutex_};
    return refused_;
}

std::optional<std::string> defect_of(const RetryRules& rules) {
    if (rules.max_attempts == 0) return "max_attempts is at least 1, for the first call";
    if (rules.base < microseconds{0}) return "base is not negative";
    if (rules.cap < rules.base) return "cap is at least base";
    return std::nullopt;
}

microseconds retry_delay(const RetryRules& rules, unsigned retry, microseconds previous,
                         double random) {
    base::check(0.0 <= random && random < 1.0);
    switch (rules.jitter) {
        case Jitter::full:
            return part_of(doubled(rules, retry), random);
        case Jitter::decorrelated: {
            const auto longest = previous > rules.cap / 3 ? rules.cap : previous * 3;
            return rules.base + part_of(longest - rules.base, random);
        }
        case Jitter::none:
            break;
    }
    return doubled(rules, retry);
}

Retries::Retries(const RetryRules& rules, Timing& timing)
    : rules_{rules}, timing_{timing}, previous_{rules.base} {
    if (rules.budget) rules.budget->first_call();
}

Retries::Next Retries::wait(std::optional<microseconds> retry_after) {
    if (attempts_ >= rules_.max_attempts) return Next::over;
    previous_ = retry_delay(rules_, attempts_ - 1, previous_, timing_.unit());
    const microseconds wait = std::max(previous_, retry_after.value_or(microseconds{0}));
    const auto now = timing_.now();
    if (rules_.deadline < now) return Next::over;
    if (wait > std::chrono::floor<microseconds>(rules_.deadline - now)) return Next::over;
    if (rules_.budget && !rules_.budget->take(now)) return Next::over;
    timing_.sleep_until(now + wait, rules_.stop);
    if (rules_.stop.stop_requested()) return Next::stopped;
    ++attempts_;
    return Next::again;
}

bool RetryErrors<embedding::Error>::passing(const embedding::Error& error) {
    using namespace std::string_view_literals;
    constexpr std::array codes{"OPTIMISTIC_LOCK"sv, "LOCK_HELD"sv, "IDEMPOTENCY_IN_PROGRESS"sv,
                               "RATE_LIMITED"sv, "STORAGE_UNAVAILABLE"sv};
    return std::ranges::find(codes, error.code) != codes.end();
}

embedding::Error RetryErrors<embedding::Error>::after(embedding::Error error, unsigned attempts) {
    if (auto* conflict = std::get_if<embedding::Conflict>(&error.data)) {
        conflict->attempts = attempts;
    }
    return error;
}

embedding::Error RetryErrors<embedding::Error>::stopped() {
    return {"STOPPED", "a stop was requested while waiting to try again"};
}

embedding::Error RetryErrors<embedding::Error>::invalid(std::string why) {
    return {"VALIDATION_FAILED", std::move(why)};
}

namespace embedding {

Repeat repeat_of(const SqlFailure& failure) {
    using namespace std::string_view_literals;
    const std::string_view state = failure.sqlstate;
    // serialization_failure, deadlock_detected
    if (state == "40001"sv || state == "40P01"sv) return Repeat::transaction;
    // connection, resources, operator intervention (without query_canceled by a person), locks
    constexpr std::array classes{"08"sv, "53"sv, "57P"sv, "55P03"sv, "57014"sv, "25006"sv};
    if (std::ranges::any_of(classes, [&](auto each) { return state.starts_with(each); })) {
        return Repeat::later;
    }
    switch (failure.sqlite & 0xff) {
        case 5:   // SQLITE_BUSY
        case 6:   // SQLITE_LOCKED
        case 7:   // SQLITE_NOMEM
        case 10:  // SQLITE_IOERR
        case 13:  // SQLITE_FULL
            return Repeat::later;
        case 17:  // SQLITE_SCHEMA
            return Repeat::transaction;
        default:
            return Repeat::never;
    }
}

Repeat Error::repeat() const {
    if (const auto* sql = std::get_if<SqlFailure>(&data)) return repeat_of(*sql);
    if (code == "OPTIMISTIC_LOCK" || code == "CHECKPOINT_CONFLICT") return Repeat::transaction;
    return RetryErrors<Error>::passing(*this) ? Repeat::later : Repeat::never;
}

namespace detail {

void misused(const char* why) {
    std::fputs("sundial: a Result was read that does not hold it: ", stderr);
    std::fputs(why, stderr);
    std::fputs("\n", stderr);
    std::abort();
}

void throw_error(const Error& error) {
    const std::string_view code = error.code;
    const auto is = [&](auto... codes) { return ((code == std::string_view{codes}) || ...); };
    if (is("OPTIMISTIC_LOCK", "CHECKPOINT_CONFLICT")) throw OptimisticLockError{error};
    if (is("INVALID_STATE_TRANSITION")) throw InvalidStateTransitionError{error};
    if (is("VALIDATION_FAILED", "PAYLOAD_TOO_LARGE", "INVALID_TEMPLATE", "INVALID_CURSOR")) {
        throw ValidationError{error};
    }
    if (code.ends_with("_NOT_FOUND")) throw NotFoundError{error};
    if (is("DUPLICATE_IDEMPOTENCY_KEY", "DUPLICATE_EXTERNAL_ID", "EVENT_ID_REUSED")) {
        throw DuplicateError{error};
    }
    if (is("LOCK_HELD")) throw LockHeldError{error};
    if (is("LEASE_LOST", "LOCK_NOT_HELD")) throw LeaseLostError{error};
    if (is("STORAGE_UNAVAILABLE", "COMMIT_OUTCOME_UNKNOWN")) throw StorageUnavailableError{error};
    if (is("SQL_FAILED")) throw SqlFailedError{error};
    if (is("IDEMPOTENCY_KEY_REUSED", "IDEMPOTENCY_IN_PROGRESS")) throw IdempotencyError{error};
    if (is("STREAM_DELETED", "STREAM_ARCHIVED", "UNKNOWN_EVENT_TYPE", "FEED_DIVERGED")) {
        throw EventSourceError{error};
    }
    throw Exception{error};
}

}  // namespace detail

}  // namespace embedding

void launch_thread(std::function<void()> work) { std::thread{std::move(work)}.detach(); }

std::optional<std::string> SqlRows::text(std::size_t row, std::size_t column) const {
    if (row >= rows.size() || column >= rows[row].size()) return std::nullopt;
    return rows[row][column];
}

std::optional<std::int64_t> SqlRows::integer(std::size_t row, std::size_t column) const {
    const auto digits = text(row, column);
    if (!digits) return std::nullopt;
    std::int64_t number = 0;
    const char* const end = digits->data() + digits->size();
    const auto [read_to, error] = std::from_chars(digits->data(), end, number);
    if (error != std::errc{} || read_to != end) return std::nullopt;
    return number;
}

}  // namespace sundial
