#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"

namespace sundial {

/// Counts the questions about the clocks of zones: rules cannot be computed without them.
struct ZoneQuestions {
    Store& store;
    std::size_t asked = 0;
    std::size_t inside_transactions = 0;

    void count() {
        ++asked;
        if (store.open_here()) ++inside_transactions;
    }
};

/// Answers as the zones that it is given, and counts.
class WatchedZones final : public TimeZones {
public:
    WatchedZones(const TimeZones& zones, ZoneQuestions& questions)
        : data_{std::make_shared<Data>(zones.current(), questions)} {}

    [[nodiscard]] std::shared_ptr<const TzData> current() const override { return data_; }
    [[nodiscard]] std::shared_ptr<const TzData> at_source() const override { return data_; }

private:
    class WatchedZone final : public Zone {
    public:
        WatchedZone(std::shared_ptr<const Zone> zone, ZoneQuestions& questions)
            : zone_{std::move(zone)}, questions_{questions} {}

        [[nodiscard]] std::string_view name() const override { return zone_->name(); }
        [[nodiscard]] LocalLookup lookup(std::chrono::local_seconds wall) const override {
            return questions_.count(), zone_->lookup(wall);
        }
        [[nodiscard]] std::chrono::seconds offset_at(Instant instant) const override {
            return questions_.count(), zone_->offset_at(instant);
        }
        [[nodiscard]] std::optional<ZoneChange> next_change(Instant after) const override {
            return questions_.count(), zone_->next_change(after);
        }
        [[nodiscard]] std::optional<ZoneChange> last_change(Instant until) const override {
            return questions_.count(), zone_->last_change(until);
        }

    private:
        std::shared_ptr<const Zone> zone_;
        ZoneQuestions& questions_;
    };

    class Data final : public TzData {
    public:
        Data(std::shared_ptr<const TzData> data, ZoneQuestions& questions)
            : data_{std::move(data)}, questions_{questions} {}

        [[nodiscard]] TimeResult<std::shared_ptr<const Zone>> find(
            std::string_view id) const override {
            auto found = data_->find(id);
            if (!found) return found;
            return std::shared_ptr<const Zone>{std::make_shared<WatchedZone>(*found, questions_)};
        }
        [[nodiscard]] std::span<const std::string> names() const override { return data_->names(); }
        [[nodiscard]] std::string target_of(std::string_view id) const override {
            return data_->target_of(id);
        }
        [[nodiscard]] std::string release() const override { return data_->release(); }

    private:
        std::shared_ptr<const TzData> data_;
        ZoneQuestions& questions_;
    };

    std::shared_ptr<const TzData> data_;
};

}  // namespace sundial
