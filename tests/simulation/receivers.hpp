#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "simulation/dice.hpp"
#include "simulation/history.hpp"

namespace sundial::simulation {

/// How a receiver responds.
enum class Mood : std::uint8_t {
    well,
    slow,       // responds within seconds, sometimes too late
    failing,    // 500 or 503
    asking,     // 429 with Retry-After
    refusing,   // no connection
    rejecting,  // 404
    gone,       // 410
    moods,
};

struct Reply {
    bool connects = true;
    Time processing{0};
    int status = 204;
    std::optional<std::chrono::seconds> retry_after{};
};

/// All receivers, by URL.
class Receivers {
public:
    [[nodiscard]] Reply reply_of(const std::string& url, Dice& dice) const;
    void change_mood(const std::string& url, Mood mood) { moods_[url] = mood; }
    void all_are_well() { moods_.clear(); }

private:
    std::map<std::string, Mood> moods_;  // a receiver without an entry is well
};

}  // namespace sundial::simulation
