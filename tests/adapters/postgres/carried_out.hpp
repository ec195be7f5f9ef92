#pragma once

#include <string>

#include "adapters/postgres/statement.hpp"

/// Statements as they were carried out: which indexes they used, and how many pages they touched.
namespace sundial::postgres {

/// How a transaction is set up before.
enum class Setup { queue, plain };

/// The plan of `statement`, with its parameters' types and values, executed.
[[nodiscard]] std::string carried_out(const std::string& url, const Statement& statement,
                                      const std::string& types, const std::string& values,
                                      Setup setup = Setup::queue);
/// Of the whole statement: its first line about buffers.
[[nodiscard]] int pages_touched(const std::string& plan);

/// Claims `events` NORMAL ones of shard 3 that are claimable since `floor` or later.
[[nodiscard]] std::string claim_a_batch(const std::string& url, int events,
                                        const std::string& floor = "-infinity");
/// Settles all that were claimed so as done.
[[nodiscard]] std::string settle_the_batch(const std::string& url);

}  // namespace sundial::postgres
