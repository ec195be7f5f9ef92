#include "simulation/receivers.hpp"

namespace sundial::simulation {

using namespace std::chrono_literals;

Reply Receivers::reply_of(const std::string& url, Dice& dice) const {
    const auto found = moods_.find(url);
    Reply reply{.processing = dice.between(1ms, 300ms)};
    switch (found == moods_.end() ? Mood::well : found->second) {
        case Mood::well:
            if (dice.chance(0.02)) reply.status = 500;
            break;
        case Mood::slow:
            reply.processing = dice.between(1s, 20s);
            break;
        case Mood::failing:
            reply.status = dice.chance(0.5) ? 500 : 503;
            break;
        case Mood::asking:
            reply.status = 429;
            reply.retry_after = 1s * static_cast<int>(1 + dice.below(120));
            break;
        case Mood::refusing:
            reply.connects = false;
            break;
        case Mood::rejecting:
            reply.status = dice.chance(0.5) ? 404 : 301;
            break;
        case Mood::gone:
            reply.status = 410;
            break;
        case Mood::moods:
            break;
    }
    return reply;
}

}  // namespace sundial::simulation
