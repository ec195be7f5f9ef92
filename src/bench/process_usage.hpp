#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace sundial::bench {

/// CPU of this process.
[[nodiscard]] std::chrono::microseconds own_cpu();
/// Of another one that runs.
[[nodiscard]] std::chrono::microseconds cpu_of(int process);
/// Bytes that a process has passed to write calls.
[[nodiscard]] std::uint64_t writes_of(int process);
/// CPU of a PostgreSQL server's processes, those that have ended too; `backend` is one of them.
/// Nothing if it does not run on this machine.
[[nodiscard]] std::optional<std::chrono::microseconds> server_cpu(int backend);

}  // namespace sundial::bench
