#pragma once

#include <cassert>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// Lets clang warn about pointers into a Result that no longer exists.
#if defined(__clang__)
#define SUNDIAL_POINTS_INTO_IT [[clang::lifetimebound]]
#else
#define SUNDIAL_POINTS_INTO_IT
#endif

namespace sundial::embedding {

/// Details of OPTIMISTIC_LOCK for an append: the stream is not at the expected version.
struct Conflict {
    std::string stream_type;
    std::string stream_id;
    std::int64_t expected = 0;  // as `Expected::version`: -1 any, 0 no stream, -2 the stream exists
    std::uint64_t actual = 0;   // where the stream is; 0: there is none
    /// The batch is in the stream already, under these ids, and did not come of this expectation;
    /// empty: it is not.
    std::vector<std::string> duplicate_event_ids{};
    unsigned attempts = 1;  // calls that ended so
    friend bool operator==(const Conflict&, const Conflict&) = default;
};

/// Details of SQL_FAILED: the codes of the database that refused a statement of yours.
struct SqlFailure {
    std::string sqlstate;    // PostgreSQL's: "23505" is a violated unique constraint; else empty
    int sqlite = 0;          // SQLite's extended result code: 2067 is the same; else 0
    std::string constraint;  // the violated one, if PostgreSQL names it
    friend bool operator==(const SqlFailure&, const SqlFailure&) = default;
};

/// Why something was not done. `code` is one of the HTTP API's (VALIDATION_FAILED, USER_NOT_FOUND,
/// STORAGE_UNAVAILABLE, …) or of the library's own (CANNOT_START, REENTRANT_CALL, WRONG_PROCESS,
/// SQL_FAILED), for programs; `detail` says it to people, and what would be right; `data` has what
/// a program can go by, of codes that have some:
///
///     if (const auto* conflict = std::get_if<sundial::Conflict>(&error.data)) {
///         read_again_from(conflict->actual);
///     }
struct Error {
    std::string code;
    std::string detail;
    std::variant<std::monostate, Conflict, SqlFailure> data{};
    friend bool operator==(const Error&, const Error&) = default;
};

/// A value, or the Error in its place. Check before use:
///
///     if (const auto user = engine.create_user(ada)) greet(user->id);
///     else report(user.error().detail);
///
/// `*` and `error()` of a temporary Result return by value, so a loop or a reference may keep it.
/// `->` points into the Result, and dangles once it is destroyed:
///
///     if (const auto page = streams.feed(0)) {
///         for (const auto& event : page->events) report(event);
///     }
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : content_(std::move(value)) {}
    Result(Error error) : content_(std::move(error)) {}

    [[nodiscard]] bool has_value() const { return content_.index() == 0; }
    explicit operator bool() const { return has_value(); }
    /// Requires a value.
    T& operator*() & { return *value_or_end(); }
    const T& operator*() const& { return *const_cast<Result*>(this)->value_or_end(); }
    T operator*() && { return std::move(*value_or_end()); }
    T* operator->() SUNDIAL_POINTS_INTO_IT { return value_or_end(); }
    const T* operator->() const SUNDIAL_POINTS_INTO_IT {
        return const_cast<Result*>(this)->value_or_end();
    }
    /// Requires an error.
    [[nodiscard]] const Error& error() const& { return *const_cast<Result*>(this)->error_or_end(); }
    [[nodiscard]] Error error() && { return std::move(*error_or_end()); }

private:
    Error* error_or_end() {
        Error* error = std::get_if<Error>(&content_);
        assert(error);
        return error;
    }
    T* value_or_end() {
        T* value = std::get_if<T>(&content_);
        assert(value);
        return value;
    }

    std::variant<T, Error> content_;
};

/// The value of a Result that only reports success.
struct Done {};

}  // namespace sundial::embedding

#undef SUNDIAL_POINTS_INTO_IT
