#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cli/command_table.hpp"
#include "cli/run_command.hpp"
#include "server/command_line/command_tree.hpp"
#include "server/command_line/flags.hpp"

namespace sundial::server {
namespace {

/// The flags of one command of the table.
struct ApiFlags {
    ClientFlags client{};
    cli::Given given{};
};

const char* type_name_of(const cli::Argument& argument) {
    switch (argument.kind) {
        case cli::ValueKind::number:
            return "N";
        case cli::ValueKind::words:
            return "A,B";
        case cli::ValueKind::json:
            return "JSON|@FILE";
        case cli::ValueKind::document:
            return "TEXT|@FILE";
        case cli::ValueKind::file:
            return "FILE";
        case cli::ValueKind::moment:
            return "TIME";
        default:
            return "TEXT";
    }
}

/// Refuses other words, and suggests the nearest one.
CLI::Validator one_of(const std::vector<std::string>& words) {
    return {[words](const std::string& text) -> std::string {
                if (std::ranges::find(words, text) != words.end()) return "";
                std::string all;
                for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
                const auto meant = base::nearest(text, words);
                return "'" + text + "' is not one of " + all +
                       (meant ? "; did you mean '" + *meant + "'?" : "");
            },
            ""};
}

/// Values go to `flags.given` only if they are on the command line.
void add_argument(CLI::App& command, ApiFlags& flags, const cli::Argument& argument,
                  bool may_be_in_data, CommandTree& tree) {
    const std::string key = cli::key_of(argument);
    cli::Given& given = flags.given;
    if (argument.kind == cli::ValueKind::flag) {
        command.add_flag_function(
            argument.name,
            [&given, key](std::int64_t count) { given[key] = {count > 0 ? "true" : "false"}; },
            argument.help);
        return;
    }
    const bool many = argument.kind == cli::ValueKind::words;
    const auto take_one = [&given, key](const std::string& text) { given[key] = {text}; };
    const auto take_all = [&given, key](const std::vector<std::string>& texts) {
        given[key] = texts;
    };
    CLI::Option& option =
        many ? *command.add_option_function<std::vector<std::string>>(argument.name, take_all,
                                                                      argument.help)
             : *command.add_option_function<std::string>(argument.name, take_one, argument.help);
    option.type_name(type_name_of(argument));
    if (many) option.allow_extra_args(false);  // --type A,B or --type A --type B
    if (!argument.choices.empty()) {
        tree.has_choices(option, argument.choices);
        if (!many) option.check(one_of(argument.choices));
    }
    if (!argument.fallback.empty()) option.default_str(argument.fallback);
    const bool positional = !argument.name.starts_with('-');
    if (argument.required && (positional || !may_be_in_data)) option.required();
}

int run(const cli::ApiCommand& command, ApiFlags& flags) {
    if (command.operation == "acquireLock")
        flags.given.try_emplace("--holder", std::vector{default_lock_holder()});
    const cli::HttpClient asked = client(flags.client);
    const cli::Output out = output(flags.client);
    return cli::run_command(command, flags.given,
                            {.client = asked,
                             .output = out,
                             .person = person(),
                             .wait = wait_options(0),
                             .read = cli::files_and(std::cin)});
}

void add(CommandTree& tree, const cli::ApiCommand& row) {
    const auto flags = std::make_shared<ApiFlags>();
    const auto action = [&row, flags] { return run(row, *flags); };
    CLI::App& command = row.noun.empty() ? tree.verb(row.verb.c_str(), row.help.c_str(), action)
                                         : tree.verb(tree.noun(row.noun), row.verb.c_str(),
                                                     row.help.c_str(), action);
    for (const cli::Argument& argument : row.arguments)
        add_argument(command, *flags, argument, row.whole_body, tree);
    for (const cli::Argument& argument : cli::common_flags(row))
        add_argument(command, *flags, argument, false, tree);
    add_client_flags(command, flags->client);
    if (!row.columns.empty()) {
        command.get_option("--csv")->excludes("--json");
    }
    if (row.shape == cli::Shape::pages) command.get_option("--all")->excludes("--limit");
    std::vector<std::string> operations{row.operation};
    operations.insert(operations.end(), row.names.begin(), row.names.end());
    tree.performs(command, std::move(operations));
}

}  // namespace

void add_api_commands(CommandTree& tree) {
    for (const cli::ApiCommand& command : cli::command_table()) {
        if (tree.wants(command.noun.empty() ? command.verb : command.noun)) add(tree, command);
    }
}

}  // namespace sundial::server
