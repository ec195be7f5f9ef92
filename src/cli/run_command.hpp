#pragma once

#include <functional>

#include "cli/api_request.hpp"
#include "cli/command_table.hpp"
#include "cli/http_client.hpp"
#include "cli/output.hpp"

namespace sundial::cli {

/// The environment of a command.
struct Session {
    const HttpClient& client;
    const Output& output;
    Person person;
    WaitOptions wait;
    FileReader read;
};

/// Performs a command of the table. Returns the exit code. Throws Unreachable.
[[nodiscard]] int run_command(const ApiCommand& command, const Given& given,
                              const Session& session);

/// Polls one event and prints each change of its state, until it is final: 0 COMPLETED, 1 FAILED
/// or CANCELLED, 8 after the timeout, 130 after an interrupt.
[[nodiscard]] int watch_event(const std::string& id, const Session& session);

}  // namespace sundial::cli
