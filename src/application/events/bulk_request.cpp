#include <charconv>
#include <type_traits>
#include <utility>

#include "application/events/bulk_events.hpp"
#include "application/ports/failures.hpp"
#include "base/uuid.hpp"
#include "domain/enum_names.hpp"
#include "domain/time/types.hpp"

namespace sundial {
namespace {

constexpr EnumNames<4> action_names{"retry", "cancel", "reschedule", "dismiss"};

[[noreturn]] void refuse(const std::string& what) {
    throw Corrupt{"the stored request of a bulk operation cannot be read: " + what};
}

/// Writes one `name value` per line. A name with several values has several lines.
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
        text_.append(name) += ' ';
        for (const char c : text(value)) {
            if (c == '\\' || c == '\n') text_ += '\\';
            text_ += c == '\n' ? 'n' : c;
        }
        text_ += '\n';
    }

    [[nodiscard]] std::string result() && { return std::move(text_); }

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

    std::string text_;
};

/// Reads the same names; absent values stay unchanged.
class Reader {
public:
    explicit Reader(std::string_view text) {
        while (!text.empty()) {
            const auto end = text.find('\n');
            const auto space = text.substr(0, end).find(' ');
            if (end == text.npos || space == text.npos) refuse("a line is not a name and a value");
            lines_.emplace_back(text.substr(0, space),
                                plain(text.substr(space + 1, end - space - 1)));
            text.remove_prefix(end + 1);
        }
    }

    template <class T>
    void read(std::string_view name, std::optional<T>& into) const {
        for (const auto& [key, value] : lines_) {
            if (key == name) into = value_of<T>(value);
        }
    }
    template <class T>
    void read(std::string_view name, std::vector<T>& into) const {
        for (const auto& [key, value] : lines_) {
            if (key == name) into.push_back(value_of<T>(value));
        }
    }
    template <class T>
    void read(std::string_view name, T& into) const {
        std::optional<T> value;
        read(name, value);
        if (!value) refuse("it has no " + std::string{name});
        into = *std::move(value);
    }

private:
    static std::string plain(std::string_view text) {
        std::string value;
        for (std::size_t i = 0; i < text.size(); ++i) {
            const bool escaped = text[i] == '\\';
            if (escaped && ++i == text.size()) refuse("a line ends within an escape");
            value += escaped && text[i] == 'n' ? '\n' : text[i];
        }
        return value;
    }

    static std::int64_t number(const std::string& text) {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size()) refuse("bad number " + text);
        return value;
    }
    template <class T>
    static T known(std::optional<T> value, const std::string& text) {
        if (!value) refuse("unknown name " + text);
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

    std::vector<std::pair<std::string, std::string>> lines_;
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

BulkRequest bulk_request_of(std::string_view text) {
    BulkRequest request;
    const Reader reader{text};
    each_member(request, [&](std::string_view name, auto& value) { reader.read(name, value); });
    return request;
}

}  // namespace sundial
