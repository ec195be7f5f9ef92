#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sundial/streams.hpp"

#pragma GCC visibility push(default)

/// Event types of your own in place of names, versions and JSON texts.
namespace sundial {

/// A type whose values are recorded as events:
///
///     struct Placed {
///         static constexpr const char* type = "OrderPlaced";
///         static constexpr std::uint32_t schema_version = 2;  // 1 if it is absent
///         int total;
///
///         std::string write() const;                             // JSON
///         static sundial::Result<Placed> read(const std::string& data);  // of that version
///         /// Optional: the data of schema version `from` + 1, computed from those of `from`.
///         static std::string upcast(std::uint32_t from, const std::string& data);
///     };
///
/// `write`, `read` and `upcast` are pure.
template <class T>
concept RecordedType = requires(const T event, const std::string& data) {
    { std::string_view{T::type} };
    { event.write() } -> std::same_as<std::string>;
    { T::read(data) } -> std::same_as<Result<T>>;
};

namespace detail {

template <class T>
constexpr std::uint32_t schema_version_of() {
    if constexpr (requires { T::schema_version; }) {
        return T::schema_version;
    } else {
        return 1;
    }
}

template <class T>
concept Upcasting = requires(std::uint32_t from, const std::string& data) {
    { T::upcast(from, data) } -> std::same_as<std::string>;
};

template <std::size_t Count>
constexpr bool all_differ(const std::array<std::string_view, Count>& names) {
    for (std::size_t i = 0; i < Count; ++i) {
        for (std::size_t j = i + 1; j < Count; ++j) {
            if (names[i] == names[j]) return false;
        }
    }
    return true;
}

}  // namespace detail

/// The event types of an aggregate, or of a subscription, by name and schema version:
///
///     using OrderEvents = sundial::EventTypes<Placed, Shipped>;
///     struct Order {
///         using Event = OrderEvents::Event;
///         static constexpr const char* type = "Order";
///         static sundial::NewRecordedEvent record(const Event& event) {
///             return OrderEvents::record(event);
///         }
///         static sundial::Result<Event> recall(const sundial::RecordedEvent& kept) {
///             return OrderEvents::recall(kept);
///         }
///         void apply(const Event&);
///     };
///     auto mails = streams.follow({.name = "mails", .filter = {.event_types =
///     OrderEvents::names()}},
///                                 OrderEvents::each([](const auto& event, const auto& kept) { …
///                                 }));
///
/// Has no state; thread-safe if the functions of the types are.
template <RecordedType... Types>
    requires(sizeof...(Types) > 0 &&
             detail::all_differ(std::array{std::string_view{Types::type}...}))
class EventTypes {
public:
    /// One event of any of the types.
    using Event = std::variant<Types...>;

    /// In the order of the types.
    [[nodiscard]] static std::vector<std::string> names() { return {std::string{Types::type}...}; }

    /// The event as a stream stores it.
    [[nodiscard]] static NewRecordedEvent record(const Event& event) {
        return std::visit(
            []<class T>(const T& its) {
                return NewRecordedEvent{.type = std::string{T::type},
                                        .data = its.write(),
                                        .schema_version = detail::schema_version_of<T>()};
            },
            event);
    }

    /// The stored event as a value of its type, upcast if its schema version is older. Errors:
    /// UNKNOWN_EVENT_TYPE for a name that is not among the types, for a newer schema version, and
    /// for an older one if the type has no `upcast`; EVENT_NOT_READABLE if `read` returns an error,
    /// if one of the functions throws, or if the data was erased. The detail names the stream, the
    /// event's version in it and its position in the feed, and gives the reason.
    [[nodiscard]] static Result<Event> recall(const RecordedEvent& kept) {
        std::optional<Result<Event>> found;
        (try_type<Types>(kept, found), ...);
        if (found) return *std::move(found);
        std::string known;
        for (const std::string& name : names()) known += (known.empty() ? "" : ", ") + name;
        return Error{"UNKNOWN_EVENT_TYPE",
                     place_of(kept) + ": its type '" + kept.type + "' is none of " + known};
    }

    /// A function for `Streams::follow` that calls `handle(event, kept)` with the value and with
    /// the event as it is stored; `handle` returns a Result<Done>. An event that cannot be recalled
    /// is a failure: limit the subscription to `names()`.
    template <class Handle>
    [[nodiscard]] static auto each(Handle handle) {
        return [handle = std::move(handle)](const RecordedEvent& kept) -> Result<embedding::Done> {
            const Result<Event> event = recall(kept);
            if (!event) return event.error();
            return handle(*event, kept);
        };
    }

private:
    /// "event 3 of Order '17' (position 44)"
    static std::string place_of(const RecordedEvent& kept) {
        return "event " + std::to_string(kept.version) + " of " + kept.stream.type + " '" +
               kept.stream.id + "' (position " + std::to_string(kept.position) + ")";
    }
    template <class T>
    static void try_type(const RecordedEvent& kept, std::optional<Result<Event>>& found) {
        if (!found && kept.type == std::string_view{T::type}) found.emplace(recall_as<T>(kept));
    }
    template <class T>
    static Result<Event> recall_as(const RecordedEvent& kept) {
        constexpr std::uint32_t today = detail::schema_version_of<T>();
        const std::string place = place_of(kept) + ": '" + kept.type + "'";
        const std::string in_version = " in schema version " + std::to_string(kept.schema_version);
        if (kept.schema_version > today || (kept.schema_version < today && !detail::Upcasting<T>)) {
            return Error{"UNKNOWN_EVENT_TYPE",
                         place + in_version + ", but this program reads " +
                             (kept.schema_version > today ? "versions up to " : "only version ") +
                             std::to_string(today)};
        }
        if (kept.data.empty()) {
            return Error{"EVENT_NOT_READABLE", place + ": its data was erased"};
        }
        try {
            std::string data = kept.data;
            if constexpr (detail::Upcasting<T>) {
                for (std::uint32_t from = kept.schema_version; from < today; ++from) {
                    data = T::upcast(from, data);
                }
            }
            Result<T> event = T::read(data);
            if (event) return Event{*std::move(event)};
            return Error{"EVENT_NOT_READABLE", place + in_version + ": " + event.error().detail};
        } catch (const std::exception& error) {
            return Error{"EVENT_NOT_READABLE", place + in_version + ": " + error.what()};
        } catch (...) {
            return Error{"EVENT_NOT_READABLE", place + in_version + ": it threw something unknown"};
        }
    }
};

}  // namespace sundial

#pragma GCC visibility pop
