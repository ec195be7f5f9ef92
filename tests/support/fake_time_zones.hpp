#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "application/ports/time_zones.hpp"
#include "support/fake_zone.hpp"

namespace sundial {

/// A tz database of a few zones: UTC, New York, Apia; and Paris, Kolkata, Honolulu and Auckland
/// with the offset that they have in January, without any change.
class FakeTimeZones final : public TimeZones {
public:
    FakeTimeZones() {
        for (const FakeZone& zone :
             {utc_zone(), new_york(), apia(), FakeZone("Europe/Paris", std::chrono::hours{1}),
              FakeZone("Asia/Kolkata", std::chrono::minutes{330}),
              FakeZone("Pacific/Auckland", std::chrono::hours{13}),
              FakeZone("Pacific/Honolulu", std::chrono::hours{-10})}) {
            names_.emplace_back(zone.name());
            zones_.emplace(zone.name(), std::make_shared<FakeZone>(zone));
        }
        std::ranges::sort(names_);
    }
    [[nodiscard]] TimeResult<std::shared_ptr<const Zone>> find(std::string_view id) const override {
        const auto found = zones_.find(id);
        if (found == zones_.end()) {
            return TimeError{TimeErrorCode::unknown_zone, "no such zone: " + std::string{id}};
        }
        return found->second;
    }
    [[nodiscard]] std::span<const std::string> names() const override { return names_; }
    [[nodiscard]] std::string release() const override { return "2025b"; }

private:
    std::map<std::string, std::shared_ptr<const Zone>, std::less<>> zones_;
    std::vector<std::string> names_;
};

}  // namespace sundial
