#pragma once

#include <optional>
#include <span>

#include "domain/append.hpp"

namespace sundial {

/// What a store can do besides where it appends in fewer steps than a transaction takes. The rules
/// are those of `judge_append`; the contract holds both ways to the same answers. Thread-safe.
class QuickAppend {
public:
    virtual ~QuickAppend() = default;
    /// Appends `batch`, events of one stream without versions, in a transaction of its own if
    /// nothing stands against it. Else nothing is written and the answer is empty: a transaction
    /// tells why. Throws Unavailable: the same again does no harm.
    virtual std::optional<Appended> append_at_once(ExpectedVersion expected,
                                                   std::span<const RecordedEvent> batch) = 0;
};

}  // namespace sundial
