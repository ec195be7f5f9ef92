#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>

#include "sundial/engine.hpp"
#include "support/migrated_database.hpp"
#include "support/temporary_folder.hpp"

namespace sundial {

/// Tests of a program that embeds an engine, on each storage: the parameter is "memory", "sqlite"
/// or "postgres".
class EngineOnEach : public testing::TestWithParam<std::string> {
protected:
    /// An engine on an empty storage of PostgreSQL or memory, or on the file of this test.
    Engine opened(Options options) {
        options.storage = "memory:";
        if (GetParam() == "sqlite") options.storage = "sqlite:" + folder_.file().string();
        if (GetParam() == "postgres") options.storage = migrated_database();
        auto engine = Engine::open(options);
        if (!engine) throw std::runtime_error(engine.error().detail);
        return *std::move(engine);
    }

private:
    TemporaryFolder folder_;
};

/// Returns once a stop is requested.
inline void wait_for_stop(const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    never.wait(lock, stop, [] { return false; });
}

}  // namespace sundial
