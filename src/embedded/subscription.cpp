#include "application/streams/subscription.hpp"

#include <exception>
#include <stop_token>
#include <thread>
#include <utility>

#include "embedded/answers.hpp"
#include "embedded/streams.hpp"

namespace sundial::embedding {
namespace {

sundial::Subscription::Settings settings_of(Following&& following, std::string holder) {
    return {.name = std::move(following.name),
            .holder = std::move(holder),
            .filter = filter_of(following.filter),
            .lease = following.lease,
            .page = following.page,
            .lanes = following.lanes,
            .retry = std::move(following.retry),
            .park = following.park};
}

/// The failure of a function of the program, if any. A std::exception propagates with its own text;
/// any other exception gets a text here.
template <class Work>
HandlingFailure failure_in(Work work) {
    try {
        const Result<Done> done = work();
        if (done) return std::nullopt;
        return done.error().code + ": " + done.error().detail;
    } catch (const std::exception&) {
        throw;
    } catch (...) {
        return "it threw something unknown";
    }
}

}  // namespace

struct Subscription::Parts {
    template <class Function>
    Parts(std::shared_ptr<Streams::Parts> its_streams, Following&& following, Function function)
        : streams(std::move(its_streams)),
          follower(streams->store, streams->feed, real_timing(),
                   settings_of(std::move(following), base::to_string(streams->ids.fresh())),
                   std::move(function)) {}

    std::shared_ptr<Streams::Parts> streams;
    sundial::Subscription follower;
    std::jthread thread;  // last: stopped and joined before the others are destroyed
};

Subscription::Subscription(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Subscription::Subscription(Subscription&&) noexcept = default;
Subscription& Subscription::operator=(Subscription&&) noexcept = default;
Subscription::~Subscription() = default;

Result<Done> Subscription::catch_up() {
    using State = sundial::Subscription::State;
    const auto came_to = answered<State>([&] {
        State state = State::moved;
        while (state == State::moved) state = parts_->follower.turn();
        parts_->follower.let_go();
        return state;
    });
    if (!came_to) return came_to.error();
    if (*came_to == State::elsewhere) {
        return Error{"LOCK_HELD", "another subscription uses that name"};
    }
    if (*came_to == State::stopped) {
        return Error{"STOPPED", parts_->follower.why().value_or("")};
    }
    return Done{};
}

void Subscription::start() {
    if (parts_->thread.joinable()) return;
    parts_->thread = std::jthread([parts = parts_.get()](const std::stop_token& stop) {
        parts->follower.run(stop, parts->streams->watch, parts->streams->log);
    });
}

std::optional<std::string> Subscription::stopped() const { return parts_->follower.why(); }

Subscription Streams::follow(Following following,
                             std::function<Result<Done>(const RecordedEvent&)> handle) {
    sundial::Subscription::Handle each = [handle = std::move(handle)](const auto& entry) {
        return failure_in([&] { return handle(shown(entry)); });
    };
    return Subscription{
        std::make_unique<Subscription::Parts>(parts_, std::move(following), std::move(each))};
}

Subscription Streams::project(
    Following following,
    std::function<Result<Done>(StreamTransaction&, const RecordedEvent&)> project) {
    sundial::Subscription::Project each = [parts = parts_, project = std::move(project)](
                                              Transaction& tx, const auto& entry) {
        StreamTransaction::Parts in_it{tx, parts->append, parts->ids};
        StreamTransaction transaction{in_it};
        return failure_in([&] { return project(transaction, shown(entry)); });
    };
    return Subscription{
        std::make_unique<Subscription::Parts>(parts_, std::move(following), std::move(each))};
}

}  // namespace sundial::embedding
