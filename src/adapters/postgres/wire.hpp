#pragma once

#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "application/ports/failures.hpp"
#include "base/check.hpp"
#include "base/strong.hpp"
#include "base/uuid.hpp"
#include "domain/time/types.hpp"

/// PostgreSQL's binary formats (the *send and *recv functions in src/backend/utils/adt of its
/// sources): big-endian integers, instants in microseconds since 2000-01-01.
namespace sundial::postgres {

using Oid = std::uint32_t;

/// bytea, as opposed to text.
struct Bytes {
    std::string value;
};

/// The wire format of one type: `oid`, `array_oid` (the fixed numbers of pg_type.dat), `put(out,
/// value)` and `get(bytes)`.
template <class T>
struct Wire;

namespace wire {

template <class Int>
void put(std::string& out, Int value) {
    const auto bits = static_cast<std::make_unsigned_t<Int>>(value);
    char bytes[sizeof(Int)];
    for (std::size_t i = 0; i < sizeof(Int); ++i) {
        bytes[i] = static_cast<char>((bits >> ((sizeof(Int) - 1 - i) * 8)) & 0xffU);
    }
    out.append(bytes, sizeof(Int));
}
template <class Int>
Int get(std::string_view bytes) {
    if (bytes.size() < sizeof(Int)) throw Corrupt{"PostgreSQL sent a value that is too short"};
    std::make_unsigned_t<Int> bits = 0;
    for (std::size_t i = 0; i < sizeof(Int); ++i) {
        bits = static_cast<std::make_unsigned_t<Int>>((bits << 8U) |
                                                      static_cast<std::uint8_t>(bytes[i]));
    }
    return static_cast<Int>(bits);
}

constexpr std::chrono::days epoch{10'957};  // 2000-01-01 in days since 1970-01-01

template <Oid type, Oid array, class Int>
struct Integer {
    static constexpr Oid oid = type, array_oid = array;
    static void put(std::string& out, Int value) { wire::put(out, value); }
    static Int get(std::string_view bytes) { return wire::get<Int>(bytes); }
};

}  // namespace wire

template <>
struct Wire<std::int16_t> : wire::Integer<21, 1005, std::int16_t> {};
template <>
struct Wire<std::int32_t> : wire::Integer<23, 1007, std::int32_t> {};
template <>
struct Wire<std::int64_t> : wire::Integer<20, 1016, std::int64_t> {};

/// Our counts are unsigned, the database's are signed. No count comes near the difference.
template <>
struct Wire<std::uint32_t> : Wire<std::int32_t> {
    static void put(std::string& out, std::uint32_t value) {
        base::check(std::in_range<std::int32_t>(value));
        wire::put(out, static_cast<std::int32_t>(value));
    }
    static std::uint32_t get(std::string_view bytes) {
        return static_cast<std::uint32_t>(wire::get<std::int32_t>(bytes));
    }
};
template <>
struct Wire<std::uint64_t> : Wire<std::int64_t> {
    static void put(std::string& out, std::uint64_t value) {
        base::check(std::in_range<std::int64_t>(value));
        wire::put(out, static_cast<std::int64_t>(value));
    }
    static std::uint64_t get(std::string_view bytes) {
        return static_cast<std::uint64_t>(wire::get<std::int64_t>(bytes));
    }
};

template <>
struct Wire<bool> {
    static constexpr Oid oid = 16, array_oid = 1000;
    static void put(std::string& out, bool value) { out.push_back(value ? '\1' : '\0'); }
    static bool get(std::string_view bytes) { return wire::get<std::int8_t>(bytes) != 0; }
};
template <>
struct Wire<std::string> {
    static constexpr Oid oid = 25, array_oid = 1009;
    static void put(std::string& out, std::string_view value) { out.append(value); }
    static std::string get(std::string_view bytes) { return std::string{bytes}; }
};
template <>
struct Wire<std::string_view> : Wire<std::string> {};
template <>
struct Wire<Bytes> {
    static constexpr Oid oid = 17, array_oid = 1001;
    static void put(std::string& out, const Bytes& value) { out.append(value.value); }
    static Bytes get(std::string_view bytes) { return {std::string{bytes}}; }
};
/// The same, owned by the caller.
struct BytesView {
    std::string_view value;
};
template <>
struct Wire<BytesView> {
    static constexpr Oid oid = 17, array_oid = 1001;
    static void put(std::string& out, BytesView value) { out.append(value.value); }
};
template <>
struct Wire<base::Uuid> {
    static constexpr Oid oid = 2950, array_oid = 2951;
    static void put(std::string& out, const base::Uuid& value) {
        out.append(reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size());
    }
    static base::Uuid get(std::string_view bytes) {
        base::Uuid uuid;
        if (bytes.size() != uuid.bytes.size()) throw Corrupt{"PostgreSQL sent a uuid of odd size"};
        std::memcpy(uuid.bytes.data(), bytes.data(), bytes.size());
        return uuid;
    }
};

/// timestamptz; `never` is its infinity.
template <>
struct Wire<Instant> {
    static constexpr Oid oid = 1184, array_oid = 1185;
    static void put(std::string& out, Instant value) {
        wire::put(out,
                  value == never ? INT64_MAX : (value.time_since_epoch() - wire::epoch).count());
    }
    static Instant get(std::string_view bytes) {
        const auto micros = wire::get<std::int64_t>(bytes);
        if (micros == INT64_MAX) return never;
        return Instant{std::chrono::microseconds{micros} + wire::epoch};
    }
};
/// timestamp without time zone.
template <>
struct Wire<WallTime> {
    static constexpr Oid oid = 1114, array_oid = 1115;
    static void put(std::string& out, WallTime value) {
        const std::chrono::microseconds since_epoch = value.time_since_epoch() - wire::epoch;
        wire::put(out, std::int64_t{since_epoch.count()});
    }
    static WallTime get(std::string_view bytes) {
        const std::chrono::microseconds since_epoch{wire::get<std::int64_t>(bytes)};
        return WallTime{since_epoch + wire::epoch};
    }
};
template <>
struct Wire<Date> {
    static constexpr Oid oid = 1082, array_oid = 1182;
    static void put(std::string& out, Date value) {
        const auto since_epoch = std::chrono::sys_days{value}.time_since_epoch() - wire::epoch;
        wire::put(out, static_cast<std::int32_t>(since_epoch.count()));
    }
    static Date get(std::string_view bytes) {
        return std::chrono::sys_days{std::chrono::days{wire::get<std::int32_t>(bytes)} +
                                     wire::epoch};
    }
};
/// time without time zone.
template <>
struct Wire<TimeOfDay> {
    static constexpr Oid oid = 1083, array_oid = 1183;
    static void put(std::string& out, TimeOfDay value) {
        wire::put(out, std::int64_t{std::chrono::microseconds{value}.count()});
    }
    static TimeOfDay get(std::string_view bytes) {
        return std::chrono::duration_cast<TimeOfDay>(
            std::chrono::microseconds{wire::get<std::int64_t>(bytes)});
    }
};
/// interval. Months are not supported; a day is 24 hours.
template <>
struct Wire<std::chrono::microseconds> {
    static constexpr Oid oid = 1186, array_oid = 1187;
    static void put(std::string& out, std::chrono::microseconds value) {
        wire::put(out, std::int64_t{value.count()});
        wire::put(out, std::int64_t{0});
    }
    static std::chrono::microseconds get(std::string_view bytes) {
        const auto micros = wire::get<std::int64_t>(bytes);
        const auto days = wire::get<std::int32_t>(bytes.substr(8));
        const auto months = wire::get<std::int32_t>(bytes.substr(12));
        if (months != 0) throw Corrupt{"PostgreSQL sent an interval with months"};
        return std::chrono::microseconds{micros} + std::chrono::days{days};
    }
};

template <class Tag, class Rep>
struct Wire<base::Strong<Tag, Rep>> : Wire<Rep> {
    static void put(std::string& out, const base::Strong<Tag, Rep>& value) {
        Wire<Rep>::put(out, value.value);
    }
    static base::Strong<Tag, Rep> get(std::string_view bytes) {
        return base::Strong<Tag, Rep>{Wire<Rep>::get(bytes)};
    }
};

/// Each element: its length (−1 for null), then its bytes.
namespace wire {

template <class T>
void put_element(std::string& out, const T& value) {
    const std::size_t start = out.size();
    put(out, std::int32_t{0});
    Wire<T>::put(out, value);
    const auto length = static_cast<std::uint32_t>(out.size() - start - 4);
    for (std::size_t i = 0; i < 4; ++i) {
        out[start + i] = static_cast<char>((length >> (24 - 8 * i)) & 0xffU);
    }
}
template <class T>
void put_element(std::string& out, const std::optional<T>& value) {
    if (value) return put_element(out, *value);
    put(out, std::int32_t{-1});
}

template <class T>
struct ElementOf {
    using type = T;
};
template <class T>
struct ElementOf<std::optional<T>> {
    using type = T;
};

}  // namespace wire

/// One-dimensional arrays, in a vector or a span. Arrays that are read contain no nulls.
template <class T>
struct WireOfArray {
    using Element = Wire<typename wire::ElementOf<T>::type>;
    static constexpr Oid oid = Element::array_oid;

    template <class Values>
    static void put(std::string& out, const Values& values) {
        constexpr bool has_nulls = !std::is_same_v<typename wire::ElementOf<T>::type, T>;
        wire::put(out, std::int32_t{values.empty() ? 0 : 1});
        wire::put(out, std::int32_t{has_nulls});
        wire::put(out, static_cast<std::int32_t>(Element::oid));
        if (values.empty()) return;
        base::check(std::in_range<std::int32_t>(values.size()));
        wire::put(out, static_cast<std::int32_t>(values.size()));
        wire::put(out, std::int32_t{1});  // the lower bound
        for (const T& value : values) wire::put_element(out, value);
    }
};
template <class T>
struct Wire<std::span<const T>> : WireOfArray<T> {};
template <class T>
struct Wire<std::vector<T>> : WireOfArray<T> {
    using typename WireOfArray<T>::Element;

    static std::vector<T> get(std::string_view bytes) {
        std::vector<T> values;
        if (wire::get<std::int32_t>(bytes) == 0) return values;
        const auto count = wire::get<std::int32_t>(bytes.substr(12));
        bytes.remove_prefix(20);
        values.reserve(static_cast<std::size_t>(count));
        for (std::int32_t i = 0; i < count; ++i) {
            const auto length = wire::get<std::int32_t>(bytes);
            if (length < 0 || bytes.size() - 4 < static_cast<std::size_t>(length)) {
                throw Corrupt{"PostgreSQL sent an array with a null or of odd size"};
            }
            values.push_back(Element::get(bytes.substr(4, static_cast<std::size_t>(length))));
            bytes.remove_prefix(4 + static_cast<std::size_t>(length));
        }
        return values;
    }
};

}  // namespace sundial::postgres
