#include <algorithm>
#include <array>
#include <charconv>
#include <type_traits>
#include <utility>

#include "application/events/bulk_events.hpp"
#include "application/operations/stored_request.hpp"
#include "base/json.hpp"
#include "base/uuid.hpp"
#include "domain/enum_names.hpp"
#include "domain/time/text.hpp"
#include "domain/time/types.hpp"

namespace sundial {
namespace {

constexpr EnumNames<4> action_names{"retry", "cancel", "reschedule", "dismiss"};

/// Writes each member that has a value.
class Writer {
public:
    template <class T>
    void add(std::string_view name, const std::optional<T>& value) {
        if (value) add(name, *value);
    }
    template <class T>
    void add(std::string_view name, const std::vector<T>& values) {
        for (const T& value : values) add(name, value);
    }
    template <class T>
    void add(std::string_view name, const T& value) {
        stored_.add(name, text(value));
    }

    [[nodiscard]] std::string result() && { return std::move(stored_).result(); }

private:
    template <class T>
    static std::string text(const T& value) {
        if constexpr (std::is_same_v<T, std::string>) {
            return value;
        } else if constexpr (std::is_same_v<T, bool>) {
            return value ? "yes" : "no";
        } else if constexpr (std::is_arithmetic_v<T>) {
            return std::to_string(value);
        } else if constexpr (std::is_same_v<T, std::chrono::seconds>) {
            return std::to_string(value.count());
        } else if constexpr (std::is_same_v<T, Instant>) {
            return std::to_string(value.time_since_epoch().count());
        } else if constexpr (std::is_same_v<T, IdempotencyKey>) {
            return value.value;
        } else {
            return std::string{to_string(value)};
        }
    }

    StoredRequestWriter stored_;
};

/// Writes the members that have a value as members of a JSON object, under camel-case names.
class JsonMembers {
public:
    JsonMembers() { json_.begin_object(); }
    template <class T>
    void add(std::string_view name, const std::optional<T>& value) {
        if (value) add(name, *value);
    }
    template <class T>
    void add(std::string_view name, const std::vector<T>& values) {
        if (values.empty()) return;
        begin(name);
        json_.begin_array();
        for (const T& value : values) write(value);
        json_.end_array();
    }
    template <class T>
    void add(std::string_view name, const T& value) {
        begin(name);
        write(value);
    }

    [[nodiscard]] std::string result() && { return std::move(json_.end_object()).text(); }

private:
    void begin(std::string_view name) {
        std::string camel;
        for (const char c : name) {
            const bool starts_word = camel.ends_with('_');
            if (starts_word) camel.pop_back();
            camel += starts_word && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        }
        json_.key(camel);
    }
    template <class T>
    void write(const T& value) {
        if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
            json_.value(value);
        } else if constexpr (std::is_same_v<T, std::chrono::seconds>) {
            const std::string exact = format_duration(std::chrono::abs(value));
            json_.value(std::string_view{value.count() < 0 ? '-' + exact : exact});
        } else if constexpr (std::is_same_v<T, Instant>) {
            json_.value(std::string_view{format_instant(value)});
        } else if constexpr (std::is_same_v<T, IdempotencyKey>) {
            json_.value(value.value);
        } else {
            json_.value(std::string_view{to_string(value)});
        }
    }

    base::JsonWriter json_;
};

/// Reads the same names; absent values stay unchanged.
class Reader {
public:
    explicit Reader(std::string_view text) : stored_(text) {}

    template <class T>
    void read(std::string_view name, std::optional<T>& into) const {
        for (const std::string& value : stored_.values(name)) into = value_of<T>(value);
    }
    template <class T>
    void read(std::string_view name, std::vector<T>& into) const {
        for (const std::string& value : stored_.values(name)) into.push_back(value_of<T>(value));
    }
    template <class T>
    void read(std::string_view name, T& into) const {
        std::optional<T> value;
        read(name, value);
        if (!value) refuse_stored_request("it has no " + std::string{name});
        into = *std::move(value);
    }

private:
    static std::int64_t number(const std::string& text) {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size())
            refuse_stored_request("bad number " + text);
        return value;
    }
    template <class T>
    static T known(std::optional<T> value, const std::string& text) {
        if (!value) refuse_stored_request("unknown name " + text);
        return *value;
    }

    template <class T>
    static T value_of(const std::string& text) {
        if constexpr (std::is_same_v<T, std::string>) {
            return text;
        } else if constexpr (std::is_same_v<T, bool>) {
            return text == "yes";
        } else if constexpr (std::is_same_v<T, std::uint32_t>) {
            return static_cast<std::uint32_t>(number(text));
        } else if constexpr (std::is_same_v<T, std::chrono::seconds>) {
            return std::chrono::seconds{number(text)};
        } else if constexpr (std::is_same_v<T, Instant>) {
            return Instant{std::chrono::microseconds{number(text)}};
        } else if constexpr (std::is_same_v<T, IdempotencyKey>) {
            return IdempotencyKey{text};
        } else if constexpr (std::is_same_v<T, BulkAction>) {
            return known(parse_bulk_action(text), text);
        } else if constexpr (std::is_same_v<T, EventStatus>) {
            return known(parse_event_status(text), text);
        } else if constexpr (std::is_same_v<T, Priority>) {
            return known(parse_priority(text), text);
        } else if constexpr (std::is_same_v<T, WaitReason>) {
            return known(parse_wait_reason(text), text);
        } else if constexpr (std::is_same_v<T, GapPolicy>) {
            return known(gap_policy(text), text);
        } else if constexpr (std::is_same_v<T, OverlapPolicy>) {
            return known(overlap_policy(text), text);
        } else {
            return T{known(base::parse_uuid(text), text)};
        }
    }

    StoredRequest stored_;
};

/// Visits each member with its name, for reading and writing.
template <class Request, class Visit>
void each_member(Request& request, Visit visit) {
    visit("action", request.action);
    visit("id", request.ids);
    visit("per_second", request.per_second);
    auto& filter = request.filter;
    visit("status", filter.statuses);
    visit("priority", filter.priorities);
    visit("type", filter.types);
    visit("zone", filter.zones);
    visit("user", filter.user);
    visit("schedule", filter.schedule);
    visit("endpoint", filter.endpoint);
    visit("target_from", filter.target_from);
    visit("target_to", filter.target_to);
    visit("executed_from", filter.executed_from);
    visit("executed_to", filter.executed_to);
    visit("late", filter.late_execution);
    visit("dismissed", filter.dismissed);
    visit("key", filter.key);
    visit("prefix", filter.prefix);
    visit("reason", filter.reason);
    visit("waiting_for", filter.waiting_for);
    auto& target = request.target;
    visit("utc", target.utc);
    visit("local", target.local);
    visit("target_zone", target.zone);
    visit("gap", target.gap);
    visit("overlap", target.overlap);
    visit("shift", request.shift);
    visit("note", request.note);
    visit("actor", request.actor);
}

}  // namespace

std::string_view to_string(BulkAction action) { return name_in(action_names, action); }
std::optional<BulkAction> parse_bulk_action(std::string_view text) {
    return find_in<BulkAction>(action_names, text);
}

std::string text_of(const BulkRequest& request) {
    Writer writer;
    each_member(request,
                [&](std::string_view name, const auto& value) { writer.add(name, value); });
    return std::move(writer).result();
}

std::string recorded_bulk(const BulkRequest& request, std::uint64_t total) {
    constexpr std::array<std::string_view, 5> left_out{"id", "note", "key", "prefix", "actor"};
    JsonMembers members;
    each_member(request, [&](std::string_view name, const auto& value) {
        if (std::ranges::find(left_out, name) == left_out.end()) members.add(name, value);
    });
    members.add("ids", request.ids.size());
    members.add("total", total);
    return std::move(members).result();
}

BulkRequest bulk_request_of(std::string_view text) {
    BulkRequest request;
    const Reader reader{text};
    each_member(request, [&](std::string_view name, auto& value) { reader.read(name, value); });
    return request;
}

}  // namespace sundial
