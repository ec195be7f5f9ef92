#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "application/ports/time_zones.hpp"
#include "support/fake_zone.hpp"

namespace sundial {

/// A tz database of a few zones: UTC, New York and Apia; and Paris, Kolkata, Honolulu and Auckland,
/// fixed at their January offsets.
class FakeTzData final : public TzData {
public:
    explicit FakeTzData(std::string release = "2025b") : release_(std::move(release)) {
        for (const FakeZone& zone :
             {utc_zone(), new_york(), apia(), FakeZone("Europe/Paris", std::chrono::hours{1}),
              FakeZone("Asia/Kolkata", std::chrono::minutes{330}),
              FakeZone("Pacific/Auckland", std::chrono::hours{13}),
              FakeZone("Pacific/Honolulu", std::chrono::hours{-10})}) {
            put(zone);
        }
    }
    /// Adds a zone, or replaces one.
    void put(const FakeZone& zone) {
        zones_.insert_or_assign(std::string{zone.name()}, std::make_shared<FakeZone>(zone));
        names_.clear();
        for (const auto& [name, known] : zones_) names_.push_back(name);
    }
    void remove(const std::string& name) {
        zones_.erase(name);
        std::erase(names_, name);
    }
    [[nodiscard]] TimeResult<std::shared_ptr<const Zone>> find(std::string_view id) const override {
        const auto found = zones_.find(id);
        if (found == zones_.end()) {
            return TimeError{TimeErrorCode::unknown_zone, "no such zone: " + std::string{id}};
        }
        return found->second;
    }
    /// Makes `name` a link to `target`, which exists.
    void link(const std::string& name, const std::string& target) {
        zones_.insert_or_assign(name, zones_.at(target));
        names_.clear();
        for (const auto& [known, zone] : zones_) names_.push_back(known);
        links_.insert_or_assign(name, target);
    }
    [[nodiscard]] std::span<const std::string> names() const override { return names_; }
    [[nodiscard]] std::string target_of(std::string_view id) const override {
        const auto link = links_.find(id);
        return link == links_.end() ? std::string{id} : link->second;
    }
    [[nodiscard]] std::string release() const override { return release_; }

private:
    std::string release_;
    std::map<std::string, std::shared_ptr<const Zone>, std::less<>> zones_;
    std::map<std::string, std::string, std::less<>> links_;
    std::vector<std::string> names_;  // sorted
};

/// These zones by default; tests may set others.
class FakeTimeZones final : public TimeZones {
public:
    [[nodiscard]] std::shared_ptr<const TzData> current() const override { return current_; }
    [[nodiscard]] std::shared_ptr<const TzData> at_source() const override { return source_; }

    void put_at_source(FakeTzData data) {
        source_ = std::make_shared<const FakeTzData>(std::move(data));
    }
    void set(FakeTzData data) {
        put_at_source(std::move(data));
        current_ = source_;
    }

private:
    std::shared_ptr<const TzData> current_ = std::make_shared<const FakeTzData>();
    std::shared_ptr<const TzData> source_ = current_;
};

}  // namespace sundial
