#include "server/command_line/command_tree.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/suggest.hpp"
#include "server/version.hpp"

namespace sundial::server {
namespace {

std::vector<std::string> names_below(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (!below->get_name().empty()) names.push_back(below->get_name());
    }
    return names;
}

struct Flags {
    std::vector<std::string> all, with_value;
};

void collect_flags(const CLI::App& app, Flags& flags) {
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            flags.all.push_back("--" + name);
            if (option->get_items_expected_max() > 0) flags.with_value.push_back("--" + name);
        }
    }
    for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; })) {
        collect_flags(*below, flags);
    }
}

}  // namespace

CommandTree::CommandTree()
    : root_(std::make_unique<CLI::App>("Sundial delivers each event once, at its local time.",
                                       "sundial")) {
    root_->set_help_all_flag("--help-all", "help of every command");
    root_->set_version_flag("--version", product_line(), "version of this program");
    root_->require_subcommand(1);
    root_->get_formatter()->column_width(34);
}

CommandTree::~CommandTree() = default;

CLI::App& CommandTree::noun(const char* name, const char* help) {
    CLI::App& added = *root_->add_subcommand(name, help);
    added.require_subcommand(1);
    return added;
}

CLI::App& CommandTree::verb(CLI::App& noun, const char* name, const char* help,
                            std::function<int()> run) {
    CLI::App& added = *noun.add_subcommand(name, help);
    added.callback([this, run = std::move(run)] { chosen_ = run; });
    return added;
}

CLI::App& CommandTree::verb(const char* name, const char* help, std::function<int()> run) {
    return verb(*root_, name, help, std::move(run));
}

int CommandTree::run(int argc, char** argv) {
    try {
        root_->parse(argc, argv);
        return chosen_();
    } catch (const CLI::ParseError& error) {
        return explain(error, argc, argv);
    }
}

int CommandTree::explain(const CLI::ParseError& error, int argc, char** argv) const {
    if (root_->exit(error) == 0) return ok;
    suggest(argc, argv);
    return usage;
}

/// What was probably meant by the first flag, noun or verb that nobody knows.
void CommandTree::suggest(int argc, char** argv) const {
    Flags flags;
    collect_flags(*root_, flags);
    const CLI::App* at = root_.get();
    for (int i = 1; i < argc; ++i) {
        std::string word = argv[i];
        const bool is_flag = word.starts_with("--");
        if (is_flag) word.erase(std::min(word.find('='), word.size()));
        const std::vector<std::string> known = is_flag ? flags.all : names_below(*at);
        if (std::ranges::find(flags.with_value, argv[i]) != flags.with_value.end()) {
            ++i;  // what follows is its value
        } else if (std::ranges::find(known, word) != known.end()) {
            if (!is_flag) at = at->get_subcommand(word);
        } else if (const auto meant = base::nearest(word, known)) {
            std::cerr << "did you mean '" << *meant << "'?\n";
            return;
        }
    }
}

}  // namespace sundial::server
