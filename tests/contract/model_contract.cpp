#include "contract/model_contract.hpp"

#include <cstdlib>

#include "contract/memory_storage.hpp"
#include "contract/random_operations.hpp"
#include "support/describe.hpp"

namespace sundial {
namespace {

/// Every event with its attempts, and the state of the queue.
std::string whole_state(Storage& storage) {
    return in_read(storage.store(), [](Transaction& tx) {
        std::string state;
        EventQuery query;
        query.page.limit = 500;
        for (bool more = true; more;) {
            const auto page = tx.events().list(query);
            for (const Event& event : page.items) {
                state += describe(event) + '\n' + describe_all(tx.events().attempts_of(event.id));
            }
            more = page.has_more;
            if (more) {
                const Event& last = page.items.back();
                query.page.after =
                    PageKey{std::to_string(last.due.time_since_epoch().count()), last.id.value};
            }
        }
        return state;
    });
}

TEST_P(ModelContract, AnswersRandomOperationsAsTheModelDoes) {
    constexpr int operations = 600;
    const unsigned seed = std::get<1>(GetParam());
    SCOPED_TRACE("seed " + std::to_string(seed));
    memory::MemoryStorage model{subject->queue().shards()};
    RandomOperations random{model, seed};
    for (int i = 0; i < operations; ++i) {
        const RandomOperation operation = random.next();
        const std::string expected = operation.run(model);
        ASSERT_EQ(operation.run(*subject), expected) << "operation " << i << ": " << operation.name;
    }
    const std::string expected = whole_state(model);
    for (const auto* seen : {"PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED", "LOST",
                             "LATE", "RETRYABLE", "PERMANENT", "RELEASED"}) {
        EXPECT_NE(expected.find(seen), std::string::npos) << "nothing is " << seen;
    }
    EXPECT_EQ(whole_state(*subject), expected);
}

}  // namespace

std::vector<std::tuple<StorageKind, unsigned>> model_runs(const std::vector<StorageKind>& kinds) {
    constexpr unsigned seeds = 5;
    const bool all = std::getenv("SUNDIAL_MODEL") != nullptr;
    std::vector<std::tuple<StorageKind, unsigned>> runs;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        for (unsigned seed = 1; seed <= seeds; ++seed) {
            if (all || seed % kinds.size() == kind) runs.emplace_back(kinds[kind], seed);
        }
    }
    return runs;
}

}  // namespace sundial
