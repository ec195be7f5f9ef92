#include "application/endpoints/endpoint_headers.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "application/ports/failures.hpp"
#include "domain/names.hpp"

namespace sundial {
namespace {

using Headers = std::vector<EndpointHeader>;
using Defects = std::vector<FieldError>;

/// A header whose value is not sealed yet.
EndpointHeader readable(const std::string& name, const std::string& value) {
    return {.name = name, .sealed = value, .hint = {}};
}

/// The value; empty if it was sealed under a key that this server no longer has.
std::optional<std::string> opened(const EndpointHeader& header, Seal& seal) {
    if (header.hint.empty()) return header.sealed;
    try {
        return seal.open(header.sealed);
    } catch (const Corrupt&) {  // its owner can still set another value
        return std::nullopt;
    }
}

/// False if there is no key to seal with.
bool seal_value(EndpointHeader& header, Seal& seal) {
    auto sealed = seal.seal_text(header.sealed);
    if (!sealed) return false;
    header.hint = header_hint(header.sealed);
    header.sealed = *std::move(sealed);
    return true;
}

Headers all_sealed(Headers headers, Seal& seal, Defects& defects) {
    for (EndpointHeader& header : headers) {
        if (!header.hint.empty() || seal_value(header, seal)) continue;
        defects.push_back(
            {"/headers", "not_allowed",
             "header values cannot be stored without an encryption key: set "
             "security.encryption_key to 32 random bytes in base64 (openssl rand -base64 32)"});
        return {};
    }
    return headers;
}

void add(Defects& defects, Defects more) { std::ranges::move(more, std::back_inserter(defects)); }

bool is_given(const TextsEdit& edit, const std::string& name) {
    return std::ranges::any_of(edit.members, [&](const auto& member) {
        return member.first == name && member.second.has_value();
    });
}

/// With the values that the edit gives, not sealed yet.
Headers merged(Headers headers, const TextsEdit& edit, Seal& seal) {
    if (edit.clear) headers.clear();
    for (const auto& [name, value] : edit.members) {
        const auto old = std::ranges::find(headers, name, &EndpointHeader::name);
        if (!value) {
            if (old != headers.end()) headers.erase(old);
        } else if (old == headers.end()) {
            headers.push_back(readable(name, *value));
        } else if (opened(*old, seal) != *value) {
            *old = readable(name, *value);
        }
    }
    return headers;
}

}  // namespace

Headers sealed_headers(std::span<const HeaderText> given, Seal& seal, Defects& defects) {
    auto found = header_defects(given);
    if (!found.empty()) return add(defects, std::move(found)), Headers{};
    Headers headers;
    for (const auto& [name, value] : given) headers.push_back(readable(name, value));
    return all_sealed(std::move(headers), seal, defects);
}

Headers edited_headers(const Headers& before, const TextsEdit& edit,
                       const std::optional<std::string>& moved_to, Seal& seal, Defects& defects) {
    if (!edit.clear && edit.members.empty() && !moved_to) return before;
    Headers headers = merged(before, edit, seal);
    std::vector<HeaderText> texts;
    Defects found;
    for (const EndpointHeader& header : headers) {
        texts.emplace_back(header.name, opened(header, seal).value_or(""));
        if (moved_to && !is_given(edit, header.name)) {
            found.push_back({json_pointer("/headers", header.name), "required",
                             "the URL changes to another origin, " + *moved_to +
                                 ": give this header's value again if it may be sent there, or "
                                 "null to remove the header"});
        }
    }
    add(found, header_defects(texts));
    if (!found.empty()) return add(defects, std::move(found)), Headers{};
    return all_sealed(std::move(headers), seal, defects);
}

bool reseal_headers(Headers& headers, Secrets& secrets) {
    bool all_opened = true;
    for (EndpointHeader& header : headers) {
        if (header.hint.empty()) {
            (void)seal_value(header, secrets);
            continue;
        }
        try {
            if (auto sealed = secrets.resealed(header.sealed)) header.sealed = *std::move(sealed);
        } catch (const Corrupt&) {
            all_opened = false;
        }
    }
    return all_opened;
}

}  // namespace sundial
