#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include "domain/event.hpp"

namespace sundial {

/// A claimed event, shared by all stages of its delivery: planning, the attempt, the settlement.
/// None of them changes it. Copies are cheap, and the event lives as long as the last of them,
/// because an attempt may end after its claim was lost. Both conversions are implicit: code that
/// reads an Event takes this too, and an Event that is made into one is moved, or copied once.
class SharedEvent {
public:
    template <class Source>
        requires(!std::same_as<std::remove_cvref_t<Source>, SharedEvent> &&
                 std::convertible_to<Source, Event>)
    SharedEvent(Source&& event)  // NOLINT(google-explicit-constructor)
        : event_(std::make_shared<const Event>(std::forward<Source>(event))) {}

    [[nodiscard]] const Event& operator*() const { return *event_; }
    [[nodiscard]] const Event* operator->() const { return event_.get(); }
    operator const Event&() const { return *event_; }  // NOLINT(google-explicit-constructor)
    friend bool operator==(const SharedEvent& a, const SharedEvent& b) { return *a == *b; }

private:
    std::shared_ptr<const Event> event_;
};

}  // namespace sundial
