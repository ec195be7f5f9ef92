#include "domain/trace_context.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace sundial {
namespace {

constexpr std::size_t trace_digits = 32, span_digits = 16;
constexpr std::size_t trace_at = 3, span_at = trace_at + trace_digits + 1;
constexpr std::size_t flags_at = span_at + span_digits + 1;
constexpr std::size_t length_of_00 = flags_at + 2;

bool is_lower_hex(std::string_view text) {
    return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Hex digits that are not all 0.
bool is_id(std::string_view text) {
    return is_lower_hex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

/// The finaliser of splitmix64: changes about half of the bits for each bit of its input.
std::uint64_t mixed(std::uint64_t bits) {
    bits ^= bits >> 30U;
    bits *= 0xbf58476d1ce4e5b9U;
    bits ^= bits >> 27U;
    bits *= 0x94d049bb133111ebU;
    return bits ^ (bits >> 31U);
}

/// A hash of a version 7 id, which has random bits enough for all of them, and of a number.
/// Samplers expect random bits, and those of such an id are not.
std::uint64_t hash_of(const Uuid& id, std::uint64_t number) {
    std::array<std::uint64_t, 2> halves{};
    for (std::size_t i = 0; i < id.bytes.size(); ++i) {
        halves[i / 8] = halves[i / 8] << 8U | id.bytes[i];
    }
    constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;
    return mixed(mixed(mixed(halves[0] + golden) ^ halves[1]) + (number + 1) * golden);
}

std::string hex(std::uint64_t bits) {
    if (bits == 0) bits = 1;  // an id is not all 0
    std::string text(span_digits, '0');
    for (auto digit = text.rbegin(); digit != text.rend(); ++digit, bits >>= 4U) {
        *digit = "0123456789abcdef"[bits & 0xfU];
    }
    return text;
}

// Of a `tracestate`.
constexpr std::size_t most_members = 32, longest_name = 256, longest_value = 256;
constexpr std::size_t longest_state = 512, long_member = 128;
constexpr std::string_view version_with_state = "01-";

bool is_name_of_member(std::string_view name) {
    constexpr std::string_view letters_and_digits = "abcdefghijklmnopqrstuvwxyz0123456789";
    constexpr std::string_view all = "abcdefghijklmnopqrstuvwxyz0123456789_-*/@";
    return !name.empty() && name.size() <= longest_name &&
           letters_and_digits.find(name.front()) != std::string_view::npos &&
           name.find_first_not_of(all) == std::string_view::npos;
}

bool is_value_of_member(std::string_view value) {
    return !value.empty() && value.size() <= longest_value &&
           std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~' && c != '='; });
}

std::string_view without_blanks_around(std::string_view text) {
    constexpr std::string_view blanks = " \t";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string_view name_of_member(std::string_view member) {
    return member.substr(0, member.find('='));
}

/// The members of a list without blank ones. Empty if the list breaks a rule.
std::vector<std::string_view> members_of_state(std::string_view text) {
    std::vector<std::string_view> members;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view member = without_blanks_around(text.substr(begin, end - begin));
        begin = end + 1;
        if (member.empty()) continue;
        const std::string_view name = name_of_member(member);
        if (name.size() == member.size() || !is_name_of_member(name) ||
            !is_value_of_member(member.substr(name.size() + 1)) || members.size() == most_members ||
            std::ranges::find(members, name, name_of_member) != members.end()) {
            return {};
        }
        members.push_back(member);
    }
    return members;
}

std::size_t length_of_state(const std::vector<std::string_view>& members) {
    std::size_t length = members.empty() ? 0 : members.size() - 1;  // commas
    for (const std::string_view member : members) length += member.size();
    return length;
}

// The numbers that make different ids of one UUID. Attempts have 32 bits.
constexpr std::uint64_t first_half = 1ULL << 40U, second_half = first_half + 1;

}  // namespace

std::optional<TraceContext> parse_traceparent(std::string_view text) {
    if (text.size() < length_of_00) return std::nullopt;
    const std::string_view version = text.substr(0, 2), flags = text.substr(flags_at, 2);
    const std::string_view trace = text.substr(trace_at, trace_digits);
    const std::string_view span = text.substr(span_at, span_digits);
    const bool dashes =
        text[trace_at - 1] == '-' && text[span_at - 1] == '-' && text[flags_at - 1] == '-';
    const bool ends = text.size() == length_of_00 || (version != "00" && text[length_of_00] == '-');
    if (!dashes || !ends || !is_lower_hex(version) || version == "ff" || !is_id(trace) ||
        !is_id(span) || !is_lower_hex(flags)) {
        return std::nullopt;
    }
    unsigned bits = 0;
    std::from_chars(flags.data(), flags.data() + flags.size(), bits, 16);
    return TraceContext{std::string(trace), std::string(span), (bits & 1U) != 0};
}

std::string traceparent(const TraceContext& context) {
    return "00-" + context.trace_id + '-' + context.span_id + (context.sampled ? "-01" : "-00");
}

std::string parse_tracestate(std::string_view text) {
    std::vector<std::string_view> members = members_of_state(text);
    while (length_of_state(members) > longest_state) {
        const auto is_long = [](std::string_view member) { return member.size() > long_member; };
        const auto last_long = std::ranges::find_if(members.rbegin(), members.rend(), is_long);
        members.erase(last_long == members.rend() ? std::prev(members.end())
                                                  : std::prev(last_long.base()));
    }
    std::string state;
    for (const std::string_view member : members) {
        if (!state.empty()) state += ',';
        state += member;
    }
    return state;
}

std::string stored_form(const TraceContext& context) {
    std::string text = traceparent(context);
    if (context.state.empty()) return text;
    text.replace(0, version_with_state.size(), version_with_state);
    return text + '-' + context.state;
}

std::optional<TraceContext> parse_stored_trace(std::string_view text) {
    auto context = parse_traceparent(text);
    if (context && text.starts_with(version_with_state) && text.size() > length_of_00) {
        context->state = parse_tracestate(text.substr(length_of_00 + 1));
    }
    return context;
}

TraceContext attempt_context(const Event& event, double share) {
    TraceContext context;
    if (event.trace) {
        context = *event.trace;
    } else {
        context.trace_id =
            hex(hash_of(event.id.value, first_half)) + hex(hash_of(event.id.value, second_half));
        context.sampled = is_sampled(context.trace_id, share);
    }
    context.span_id = hex(hash_of(event.id.value, event.attempt.value));
    return context;
}

TraceContext claim_context(const InstanceId& by, Instant now, double share) {
    const auto at = static_cast<std::uint64_t>(now.time_since_epoch().count());
    TraceContext context{.trace_id = hex(hash_of(by.value, at)) + hex(hash_of(by.value, ~at)),
                         .span_id = hex(hash_of(by.value, at ^ first_half))};
    context.sampled = is_sampled(context.trace_id, share);
    return context;
}

TraceContext new_context(const Uuid& fresh, const std::optional<TraceContext>& parent,
                         double share) {
    TraceContext context;
    if (parent) {
        context = *parent;
    } else {
        context.trace_id = hex(hash_of(fresh, first_half)) + hex(hash_of(fresh, second_half));
        context.sampled = is_sampled(context.trace_id, share);
    }
    context.span_id = hex(hash_of(fresh, 0));
    return context;
}

bool is_sampled(std::string_view trace_id, double share) {
    if (share >= 1) return true;
    if (trace_id.size() != trace_digits) return false;
    constexpr std::size_t random_digits = 14;  // the random part of a trace id has 7 bytes
    std::uint64_t bits = 0;
    const std::string_view random = trace_id.substr(trace_digits - random_digits);
    std::from_chars(random.data(), random.data() + random.size(), bits, 16);
    // OpenTelemetry's rule: sampled if the random number is at least the rejection threshold.
    constexpr double all = 72'057'594'037'927'936.0;  // 2^56
    return static_cast<double>(bits) >= (1 - share) * all;
}

}  // namespace sundial
