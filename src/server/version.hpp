#pragma once

#include <string>

namespace sundial::server {

[[nodiscard]] std::string product_version();
/// `git describe` of the tree this was built from; empty if unknown.
[[nodiscard]] std::string product_commit();
/// Version and commit as the command line prints them: "sundial 0.1.0 (1b76bf1be31b)".
[[nodiscard]] std::string product_line();
/// SHA-256 of the bill of materials (SPDX) that this program was packaged with, as 64 hexadecimal
/// digits; empty for a program that was built and not packaged.
[[nodiscard]] std::string product_sbom();

}  // namespace sundial::server
