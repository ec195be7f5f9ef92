#pragma once

#include <string>

#include "adapters/postgres/statement.hpp"

/// Runs statements and reports which indexes they used and how many pages they read.
namespace sundial::postgres {

/// The settings of the transaction.
enum class Setup { queue, plain };

/// Executes `statement` with parameters of these types and values, and returns its plan.
[[nodiscard]] std::string carried_out(const std::string& url, const Statement& statement,
                                      const std::string& types, const std::string& values,
                                      Setup setup = Setup::queue);
/// The same in a transaction that begins with the statement `first`.
[[nodiscard]] std::string carried_out_after(const std::string& first, const std::string& url,
                                            const Statement& statement, const std::string& types,
                                            const std::string& values);
/// Pages read by a whole statement.
[[nodiscard]] int pages_touched(const std::string& plan);

/// Claims `events` NORMAL events of shard 3 that have been claimable since `floor` or later.
[[nodiscard]] std::string claim_a_batch(const std::string& url, int events,
                                        const std::string& floor = "-infinity");
/// Settles the events claimed by `claim_a_batch` as completed.
[[nodiscard]] std::string settle_the_batch(const std::string& url);

}  // namespace sundial::postgres
