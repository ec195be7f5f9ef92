#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "sundial/engine.hpp"
#include "sundial/streams.hpp"
#include "support/migrated_database.hpp"
#include "support/temporary_folder.hpp"

/// Counts, limits, sizes and times of the public headers with nothing, one and the greatest value
/// that their types have. Useless values are refused; no value ends the process.
namespace sundial {

enum class Extent : std::uint8_t { nothing, one, greatest };
inline constexpr std::array all_extents{Extent::nothing, Extent::one, Extent::greatest};

/// A number, a time or a text of that size.
template <class T>
T sized(Extent which) {
    if constexpr (std::is_same_v<T, std::string>) {
        return std::string(
            which == Extent::greatest ? std::size_t{5} << 20U : static_cast<std::size_t>(which),
            'x');
    } else if constexpr (std::is_arithmetic_v<T>) {
        return which == Extent::greatest ? std::numeric_limits<T>::max() : static_cast<T>(which);
    } else if (which == Extent::greatest) {
        return T::max();
    } else if constexpr (requires { typename T::clock; }) {
        return T{typename T::duration{static_cast<std::int64_t>(which)}};
    } else {
        return T{static_cast<typename T::rep>(which)};
    }
}

/// The result in one word.
template <class T>
std::string word(const Result<T>& answer) {
    return answer ? "ok" : answer.error().code;
}
template <class T>
std::string word_of_page(const Result<T>& page) {
    if (!page) return page.error().code;
    return std::to_string(page->events.size());
}

/// A setting, a call that uses it, and the expected result for each value.
struct Row {
    const char* what;
    std::function<std::string(Extent)> call;
    std::array<std::string, all_extents.size()> answers;
};

inline void expect_answers(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        for (const Extent which : all_extents) {
            const auto column = static_cast<std::size_t>(which);
            EXPECT_EQ(row.call(which), row.answers.at(column)) << row.what << ", try " << column;
        }
    }
}

inline constexpr const char* refused = "VALIDATION_FAILED";

class BoundsOnEach : public testing::TestWithParam<std::string> {
protected:
    BoundsOnEach() {
        const std::string storage = [&]() -> std::string {
            if (GetParam() == "sqlite") return "sqlite:" + folder_.file().string();
            if (GetParam() == "postgres") {
                return migrated_database();
            }
            return "memory:";
        }();
        auto opened = Engine::open({.storage = storage, .test_clock = true});
        if (!opened) throw std::runtime_error(opened.error().detail);
        engine_.emplace(*std::move(opened));
        streams_.emplace(engine_->streams());
    }
    ~BoundsOnEach() override {
        streams_.reset();
        engine_.reset();
    }

    std::string fresh_name() { return "n" + std::to_string(++names_); }
    /// One of three events, with a snapshot of the second.
    StreamId fresh_stream() {
        StreamId stream{"Order", fresh_name()};
        const auto done = streams_->append(stream, Expected::no_stream(),
                                           {{.type = "A"}, {.type = "B"}, {.type = "C"}});
        EXPECT_TRUE(done) << done.error().detail;
        EXPECT_TRUE(*streams_->save_snapshot(stream, {.version = 2, .state = "{}"}));
        return stream;
    }
    Event fresh_claim() {
        const std::string queue = fresh_name();
        EXPECT_TRUE(engine_->create_queue(queue));
        EXPECT_TRUE(engine_->schedule({.type = "T", .at = *engine_->now(), .queue = queue}));
        const auto work = engine_->worker(queue, "w").claim();
        EXPECT_TRUE(work) << work.error().detail;
        return work->at(0);
    }
    PullWorker any_worker() { return engine_->worker("none", "w"); }

    TemporaryFolder folder_;
    std::optional<Engine> engine_;
    std::optional<Streams> streams_;
    int names_ = 0;
};

}  // namespace sundial
