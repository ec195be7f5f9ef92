#include "application/delivery/judge_receivers.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace sundial {

std::vector<ReceiverChange> JudgeReceivers::run(InstanceId by,
                                                std::span<const ReceiverReport> reports) {
    base::check(std::ranges::is_sorted(reports, {}, &ReceiverReport::endpoint));
    std::vector<ReceiverChange> changes;
    store_.transact([&](Transaction& tx) {
        changes.clear();
        const Instant now = tx.now();
        for (const ReceiverReport& one : reports) {
            const Circuit before = tx.circuits().lock(one.endpoint);
            Circuit after = count(before, one.results, now, policy_);
            if (one.probe) after = end_probe(std::move(after), by, *one.probe, now, policy_);
            tx.circuits().put(after);
            ReceiverChange change{.endpoint = one.endpoint,
                                  .before = before.state,
                                  .after = after.state,
                                  .failure_ratio = failure_ratio(after, now, policy_),
                                  .given_up = given_up(after, now)};
            if (change.before != change.after || change.given_up) changes.push_back(change);
        }
        return true;
    });
    return changes;
}

}  // namespace sundial
