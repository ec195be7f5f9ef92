#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace sundial::bench {

/// CPU of this process.
[[nodiscard]] std::chrono::microseconds own_cpu();
/// CPU of another running process.
[[nodiscard]] std::chrono::microseconds cpu_of(int process);
/// Bytes that a process passed to write calls.
[[nodiscard]] std::uint64_t writes_of(int process);
/// CPU of a PostgreSQL server's processes, including ended ones; `backend` is one of them. Nothing
/// if the server does not run on this machine.
[[nodiscard]] std::optional<std::chrono::microseconds> server_cpu(int backend);

}  // namespace sundial::bench
