#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "server/command_line/command_tree.hpp"
#include "server/command_line/flags.hpp"
#include "server/version.hpp"

namespace sundial::server {

void add_info_commands(CommandTree& tree) {
    const auto flags = std::make_shared<ClientFlags>();
    add_client_flags(
        tree.verb("info", "show the versions of a running server and its parts",
                  [flags] { return cli::show_info(client(*flags), output(flags->json)); }),
        *flags);
    tree.verb("version", "print the version of this program", [] {
        std::cout << product_line() << "\n";
        return static_cast<int>(ok);
    });
}

}  // namespace sundial::server
