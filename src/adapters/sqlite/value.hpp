#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "application/ports/failures.hpp"
#include "domain/api_key.hpp"
#include "domain/circuit.hpp"
#include "domain/endpoint.hpp"
#include "domain/enum_names.hpp"
#include "domain/event_status.hpp"
#include "domain/ids.hpp"
#include "domain/operation.hpp"
#include "domain/outcome.hpp"
#include "domain/schedule.hpp"
#include "domain/time/text.hpp"
#include "domain/time/types.hpp"

namespace sundial::sqlite {

/// One complete SQL statement. Each connection prepares it once and finds it by its address.
struct Statement {
    const char* sql;
};

}  // namespace sundial::sqlite

struct sqlite3_stmt;

namespace sundial::sqlite {

/// The parameters of a statement. SQLite copies texts and blobs, with an allocation for each,
/// unless they outlive the execution.
struct Parameters {
    sqlite3_stmt* statement;
    bool outlived = false;
    [[nodiscard]] Parameters copying() const { return {statement}; }
};

// The four kinds of values in our columns. Parameters count from 1, columns from 0.
void put_null(Parameters to, int parameter);
void put_integer(Parameters to, int parameter, std::int64_t value);
void put_text(Parameters to, int parameter, std::string_view value);
void put_blob(Parameters to, int parameter, std::string_view value);
// These throw Corrupt if the column has another kind. Views are valid until the statement steps on.
[[nodiscard]] bool is_null(sqlite3_stmt* statement, int column);
[[nodiscard]] std::int64_t get_integer(sqlite3_stmt* statement, int column);
[[nodiscard]] std::string_view get_text(sqlite3_stmt* statement, int column);
[[nodiscard]] std::string_view get_blob(sqlite3_stmt* statement, int column);

/// Bytes, not necessarily text.
struct Bytes {
    std::string value;
};

/// How a column stores a T.
template <class T>
struct Value;

template <std::integral T>
struct Value<T> {
    static void put(Parameters to, int parameter, T value) {
        put_integer(to, parameter, static_cast<std::int64_t>(value));
    }
    static T get(sqlite3_stmt* from, int column) {
        return static_cast<T>(get_integer(from, column));
    }
};

template <>
struct Value<std::string_view> {
    static void put(Parameters to, int parameter, std::string_view value) {
        put_text(to, parameter, value);
    }
};
template <>
struct Value<std::string> : Value<std::string_view> {
    static std::string get(sqlite3_stmt* from, int column) {
        return std::string{get_text(from, column)};
    }
};
template <>
struct Value<Bytes> {
    static void put(Parameters to, int parameter, const Bytes& bytes) {
        put_blob(to, parameter, bytes.value);
    }
    static Bytes get(sqlite3_stmt* from, int column) {
        return {std::string{get_blob(from, column)}};
    }
};

template <>
struct Value<Uuid> {
    static void put(Parameters to, int parameter, const Uuid& id) {
        put_blob(to, parameter, {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()});
    }
    static Uuid get(sqlite3_stmt* from, int column) {
        const auto bytes = get_blob(from, column);
        Uuid id;
        if (bytes.size() != id.bytes.size())
            throw Corrupt{"an id in the database does not have 16 bytes"};
        std::copy(bytes.begin(), bytes.end(), id.bytes.begin());
        return id;
    }
};
template <class Tag, class Rep>
struct Value<Strong<Tag, Rep>> {
    static void put(Parameters to, int parameter, const Strong<Tag, Rep>& strong) {
        Value<Rep>::put(to, parameter, strong.value);
    }
    static Strong<Tag, Rep> get(sqlite3_stmt* from, int column) {
        return Strong<Tag, Rep>{Value<Rep>::get(from, column)};
    }
};

/// The instance's id, followed by the worker's name if a pull worker made the claim.
template <>
struct Value<Claimant> {
    static void put(Parameters to, int parameter, const Claimant& claimant) {
        const auto& id = claimant.instance.value.bytes;
        put_blob(to.copying(), parameter, std::string{id.begin(), id.end()} + claimant.worker);
    }
    static Claimant get(sqlite3_stmt* from, int column) {
        const auto bytes = get_blob(from, column);
        Uuid id;
        if (bytes.size() < id.bytes.size()) throw Corrupt{"a claimant in the database has no id"};
        std::copy_n(bytes.begin(), id.bytes.size(), id.bytes.begin());
        return {InstanceId{id}, std::string{bytes.substr(id.bytes.size())}};
    }
};

template <class Rep, class Period>
struct Value<std::chrono::duration<Rep, Period>> {
    using Duration = std::chrono::duration<Rep, Period>;
    static void put(Parameters to, int parameter, Duration duration) {
        put_integer(to, parameter, duration.count());
    }
    static Duration get(sqlite3_stmt* from, int column) {
        return Duration{static_cast<Rep>(get_integer(from, column))};
    }
};
template <class Clock, class Duration>
struct Value<std::chrono::time_point<Clock, Duration>> {
    using Time = std::chrono::time_point<Clock, Duration>;
    static void put(Parameters to, int parameter, Time time) {
        put_integer(to, parameter, time.time_since_epoch().count());
    }
    static Time get(sqlite3_stmt* from, int column) {
        return Time{Duration{get_integer(from, column)}};
    }
};

/// Enums are stored by name.
template <class Enum, std::optional<Enum> (*parse)(std::string_view)>
struct NamedValue {
    static void put(Parameters to, int parameter, Enum value) {
        static_assert(
            std::is_same_v<decltype(to_string(value)), std::string_view>);  // no temporary
        put_text(to, parameter, to_string(value));
    }
    static Enum get(sqlite3_stmt* from, int column) {
        const auto text = get_text(from, column);
        const auto value = parse(text);
        if (!value) throw Corrupt{"the database has the unknown name '" + std::string{text} + "'"};
        return *value;
    }
};
template <>
struct Value<EventStatus> : NamedValue<EventStatus, parse_event_status> {};
template <>
struct Value<GapPolicy> : NamedValue<GapPolicy, gap_policy> {};
template <>
struct Value<OverlapPolicy> : NamedValue<OverlapPolicy, overlap_policy> {};
template <>
struct Value<LeapPolicy> : NamedValue<LeapPolicy, leap_policy> {};
template <>
struct Value<MisfirePolicy> : NamedValue<MisfirePolicy, misfire_policy> {};
template <>
struct Value<Concurrency> : NamedValue<Concurrency, parse_concurrency> {};
template <>
struct Value<TriggerKind> : NamedValue<TriggerKind, parse_trigger_kind> {};
template <>
struct Value<Origin> : NamedValue<Origin, parse_origin> {};
template <>
struct Value<CircuitState> : NamedValue<CircuitState, parse_circuit_state> {};
template <>
struct Value<Obstacle> : NamedValue<Obstacle, parse_obstacle> {};
template <>
struct Value<BodyFormat> : NamedValue<BodyFormat, parse_body_format> {};
template <>
struct Value<OperationKind> : NamedValue<OperationKind, parse_operation_kind> {};
template <>
struct Value<OperationStatus> : NamedValue<OperationStatus, parse_operation_status> {};
template <>
struct Value<Role> : NamedValue<Role, parse_role> {};
template <>
struct Value<OperationSubject> : NamedValue<OperationSubject, parse_operation_subject> {};
template <>
struct Value<AttemptOutcome> : NamedValue<AttemptOutcome, parse_attempt_outcome> {};

/// RetryPolicy::Kind has no names outside of JSON.
inline constexpr EnumNames<3> retry_policies{"standard", "seed", "custom"};
template <>
struct Value<RetryPolicy::Kind> {
    static void put(Parameters to, int parameter, RetryPolicy::Kind kind) {
        put_text(to, parameter, name_in(retry_policies, kind));
    }
    static RetryPolicy::Kind get(sqlite3_stmt* from, int column) {
        const auto kind = find_in<RetryPolicy::Kind>(retry_policies, get_text(from, column));
        if (!kind) throw Corrupt{"the database has an unknown retry policy"};
        return *kind;
    }
};
template <>
struct Value<Date> {
    static void put(Parameters to, int parameter, Date date) {
        put_text(to.copying(), parameter, format_date(date));
    }
    static Date get(sqlite3_stmt* from, int column) {
        const auto text = get_text(from, column);
        const auto date = parse_date(text);
        if (!date) throw Corrupt{"the database has the date '" + std::string{text} + "'"};
        return *date;
    }
};
template <>
struct Value<Priority> {
    static void put(Parameters to, int parameter, Priority priority) {
        put_integer(to, parameter, static_cast<std::int64_t>(priority));
    }
    static Priority get(sqlite3_stmt* from, int column) {
        const auto number = get_integer(from, column);
        if (number < 0 || number > 3) throw Corrupt{"the database has an unknown priority"};
        return static_cast<Priority>(number);
    }
};

template <class T>
struct Value<std::optional<T>> {
    static void put(Parameters to, int parameter, const std::optional<T>& value) {
        if (value) return Value<T>::put(to, parameter, *value);
        put_null(to, parameter);
    }
    static std::optional<T> get(sqlite3_stmt* from, int column) {
        if (is_null(from, column)) return std::nullopt;
        return Value<T>::get(from, column);
    }
};

}  // namespace sundial::sqlite
