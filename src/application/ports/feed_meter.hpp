#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sundial {

/// Position of the feed and of its subscribers.
struct FeedProgress {
    struct Follower {
        std::string name;
        std::uint64_t position;  // of its checkpoint
        friend bool operator==(const Follower&, const Follower&) = default;
    };
    std::uint64_t position = 0;  // of the newest recorded event
    std::vector<Follower> followers{};
    friend bool operator==(const FeedProgress&, const FeedProgress&) = default;
};

/// For monitoring the feed without following it. Thread-safe. Throws Unavailable.
class FeedMeter {
public:
    virtual ~FeedMeter() = default;
    /// The first `max_followers` followers, by name. A follower is a subscriber that has stored a
    /// checkpoint.
    virtual FeedProgress measure(std::size_t max_followers) = 0;
};

}  // namespace sundial
