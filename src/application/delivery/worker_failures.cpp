#include <algorithm>
#include <iterator>
#include <utility>

#include "application/delivery/worker.hpp"
#include "base/check.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;

/// Delay of events that cannot be planned: the cause is not transient.
constexpr std::chrono::microseconds planning_failed_wait = 1min;

/// Returns them to the queue that they came from.
template <class T>
void put_back(std::deque<T>& queue, std::vector<T>& taken) {
    queue.insert(queue.begin(), std::make_move_iterator(taken.begin()),
                 std::make_move_iterator(taken.end()));
    taken.clear();
}

}  // namespace

void Worker::failed(const Command& command, bool transient, double random, Mono now) {
    struct Failure {
        Worker& worker;
        bool transient;
        double random;
        Mono now;

        /// The count is only information: due events do not wait for it.
        void operator()(const CountBacklog&) const {
            worker.read_backoff_.fail(random, now);
            worker.backlog_counted_ = true;
        }
        void operator()(const Peek&) const { worker.read_backoff_.fail(random, now); }
        void operator()(const Claim&) const {
            const auto claim = std::exchange(worker.claiming_, std::nullopt).value();
            worker.read_backoff_.fail(random, now);
            for (const auto& turn : claim.turns) worker.scheduler_.claim_failed(turn.part);
        }
        void operator()(const ClaimLines&) const { worker.admit_backoff_.fail(random, now); }
        void operator()(const Plan& plan) const {
            worker.plan_backoff_.fail(random, now);
            if (transient || plan.events.size() > 1) {
                if (!transient) worker.plan_limit_ = plan.events.size() / 2;
                put_back(worker.to_plan_, worker.planning_);
                return;
            }
            worker.planning_.clear();
            worker.defer(worker.held_.at(plan.events.front()->id, Stage::claimed),
                         {planning_failed_wait, "PLANNING_FAILED its successor cannot be planned"});
        }
        void operator()(const RequestAdmission&) const {
            worker.admit_backoff_.fail(random, now);
            for (const auto& waiting : worker.asking_) {
                for (const EventId id : waiting) {
                    if (transient) {
                        worker.to_admit_.insert(id);
                    } else {
                        worker.defer(
                            worker.held_.at(id, Stage::planned),
                            {planning_failed_wait,
                             "ADMISSION_FAILED the limits of its endpoint could not be read"});
                    }
                }
            }
            worker.asking_.clear();
        }
        void operator()(const ReportResults&) const {
            worker.report_backoff_.fail(random, now);
            if (transient) worker.receivers_.put_back(worker.reporting_, now);
            worker.reporting_.clear();
        }
        void operator()(const DisableEndpoint&) const {
            worker.disable_backoff_.fail(random, now);
            if (!transient) worker.to_disable_.pop_front();
        }
        void operator()(const Settle& settle) const {
            if (transient || settle.batch.size() > 1) {
                worker.settle_backoff_.fail(random, now);
                if (!transient) worker.settle_limit_ = settle.batch.size() / 2;
                worker.put_back_settlements();
                return;
            }
            worker.settle_backoff_.succeed();
            worker.held_.forget(settle.batch.front().id);
            worker.settling_.clear();
            worker.settling_since_.clear();
        }
        void operator()(const ReleaseClaims&) const {
            worker.release_backoff_.fail(random, now);
            if (transient) {
                put_back(worker.to_release_, worker.releasing_);
                return;
            }
            for (const PendingReturn& one : worker.releasing_) {
                const EventId id = one.released.id;
                if (worker.held_.find(id, Stage::releasing)) worker.held_.forget(id);
            }
            worker.releasing_.clear();
        }
        void operator()(const Extend&) const {
            worker.extend_backoff_.fail(random, now);
            ++worker.extensions_failed_;
        }
        // These call no port. An attempt that cannot be started has an outcome instead.
        void operator()(const Send&) const { base::check(false); }
        void operator()(const Abandon&) const { base::check(false); }
        void operator()(const WaitUntil&) const { base::check(false); }
        void operator()(const Finished&) const { base::check(false); }
    };
    std::visit(Failure{*this, transient, random, now}, command);
}

void Worker::put_back_settlements() {
    for (std::size_t left = settling_.size(); left > 0; --left) {
        to_settle_.push_front({std::move(settling_[left - 1]), settling_since_[left - 1]});
    }
    settling_.clear();
    settling_since_.clear();
}

}  // namespace sundial
