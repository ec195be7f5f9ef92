#pragma once

/// The exit codes. docs/reference/cli.md has the list for users.
namespace sundial::cli::exit_code {

inline constexpr int ok = 0;
inline constexpr int failure = 1;
inline constexpr int usage = 2;
inline constexpr int not_found = 3;
inline constexpr int conflict = 4;
inline constexpr int not_allowed = 5;
inline constexpr int partly_failed = 7;
inline constexpr int timed_out = 8;

}  // namespace sundial::cli::exit_code
