#include <cstdio>
#include <exception>

#include "application/ports/failures.hpp"
#include "cli/http_client.hpp"
#include "server/command_line/command_tree.hpp"
#include "server/command_line/nouns.hpp"

namespace {

using namespace sundial;

int told(int exit_code, const char* what, const std::exception& error) {
    std::fprintf(stderr, "sundial: %s%s\n", what, error.what());
    return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        server::CommandTree tree;
        server::add_serving_commands(tree);
        server::add_database_commands(tree);
        server::add_clock_commands(tree);
        server::add_operation_commands(tree);
        server::add_info_commands(tree);
        server::add_rule_commands(tree);
        server::add_zone_commands(tree);
        return tree.run(argc, argv);
    } catch (const cli::Unreachable& error) {
        return told(server::unreachable, "", error);
    } catch (const Unavailable& error) {
        return told(server::unreachable, "the database does not answer: ", error);
    } catch (const std::exception& error) {
        return told(server::failure, "", error);
    }
}
