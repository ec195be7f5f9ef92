#include "server/command_line/command_tree.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cli/command_table.hpp"
#include "server/command_line/flags.hpp"
#include "server/version.hpp"

namespace sundial::server {
namespace {

std::vector<const CLI::App*> below(const CLI::App& app) {
    std::vector<const CLI::App*> named;
    for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (!each->get_name().empty()) named.push_back(each);
    }
    return named;
}

std::vector<std::string> names_below(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* each : below(app)) names.push_back(each->get_name());
    return names;
}

struct Flags {
    std::vector<std::string> all, with_value;

    [[nodiscard]] bool has(const std::string& flag) const {
        return std::ranges::find(all, flag) != all.end();
    }
    [[nodiscard]] bool take_value(const std::string& flag) const {
        return std::ranges::find(with_value, flag) != with_value.end();
    }
};

/// Collects the command's own flags, including those of its groups.
void add_flags_of(const CLI::App& command, Flags& flags) {
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            flags.all.push_back("--" + name);
            if (option->get_items_expected_max() > 0) flags.with_value.push_back("--" + name);
        }
    }
    for (const CLI::App* group : command.get_subcommands([](const CLI::App*) { return true; })) {
        if (group->get_name().empty()) add_flags_of(*group, flags);
    }
}

void add_flags_of_all(const CLI::App& app, Flags& flags) {
    add_flags_of(app, flags);
    for (const CLI::App* each : below(app)) add_flags_of_all(*each, flags);
}

std::string question(const std::optional<std::string>& meant) {
    return meant ? "; did you mean '" + *meant + "'?" : "";
}

/// "sundial event".
std::string path_of(const CLI::App& command) {
    const CLI::App* above = command.get_parent();
    return (above == nullptr ? "" : path_of(*above) + ' ') + command.get_name();
}

/// The known nouns, verbs and flags of a command line.
struct Walk {
    const CLI::App* command;                  // the last known one
    std::optional<std::string> no_command{};  // the unknown word in place of a noun or verb
    std::optional<std::string> no_flag{};     // the first flag that the command lacks
};

Walk walk(const CLI::App& root, int argc, char** argv) {
    Flags anywhere;
    add_flags_of_all(root, anywhere);
    Walk found{.command = &root};
    for (int i = 1; i < argc; ++i) {
        const std::string text = argv[i];
        const std::string word = text.substr(0, text.find('='));
        if (word == "--") break;
        if (word.starts_with("--")) {
            Flags own;
            add_flags_of(*found.command, own);
            const bool known = own.has(word);
            if (!known && !found.no_flag) found.no_flag = word;
            // The value of a flag is not a command, even if the flag is misspelt or precedes its
            // command.
            const std::string meant = known || anywhere.has(word)
                                          ? word
                                          : base::nearest(word, anywhere.all).value_or(word);
            if (word == text && (known ? own : anywhere).take_value(meant)) ++i;
            continue;
        }
        const auto commands = below(*found.command);
        if (word.starts_with('-') || commands.empty()) continue;
        const auto named = std::ranges::find(commands, text, &CLI::App::get_name);
        if (named == commands.end()) {
            found.no_command = text;
            break;
        }
        found.command = *named;
    }
    return found;
}

/// Reports an unknown word in place of a command, or that there is none.
int report_command(const Walk& found) {
    const std::vector<std::string> commands = names_below(*found.command);
    const std::string path = path_of(*found.command);
    const std::string wrong = found.no_command
                                  ? "'" + *found.no_command + "' is not a command of " + path +
                                        question(base::nearest(*found.no_command, commands))
                                  : path + " needs a command";
    std::cerr << "sundial: " << wrong << "\nThere are " << listed(commands)
              << ".\nRun with --help or --help-all for more information.\n";
    return usage;
}

/// The environment variable that a flag has the value of, if it is not given.
std::string variable_of(const CLI::Option& option) {
    const std::string name = option.get_name(false, false);
    if (option.get_group() == settings_group) return variable_of_setting(name.substr(2));
    return variable_of_flag(name);
}

/// The words in `TEXT:{READ,WRITE}`, as CLI11 writes a checked set.
std::vector<std::string> words_in(const std::string& type_name) {
    const auto open = type_name.find('{');
    const auto close = type_name.rfind('}');
    if (open == std::string::npos || close == std::string::npos) return {};
    std::vector<std::string> words;
    std::string word;
    for (const char c : type_name.substr(open + 1, close - open - 1) + ',') {
        if (c != ',')
            word += c;
        else
            words.push_back(std::exchange(word, {}));
    }
    return words;
}

using Choices = std::map<const CLI::Option*, std::vector<std::string>>;

/// The default, as the help shows it. CLI11 knows no default of a flag without a value.
std::string default_of(const CLI::Option& option) {
    if (option.get_items_expected_max() == 0) return "";
    if (!option.get_default_str().empty()) return option.get_default_str();
    return default_in_effect(option.get_name(false, false));
}

/// Help with the default, the variable and the origin of each value.
class HelpFormatter : public CLI::Formatter {
public:
    explicit HelpFormatter(const Choices& choices) : choices_(choices) {}

    std::string make_option_opts(const CLI::Option* option) const override {
        if (option->get_items_expected_max() == 0) return "";
        const std::string type = option->get_type_name();
        const bool many = option->get_items_expected_max() > 1;
        return ' ' + type.substr(0, type.find(':')) + (many ? " ..." : "");
    }
    std::string make_option_desc(const CLI::Option* option) const override {
        std::vector<std::string> facts;
        if (option->get_required()) facts.emplace_back("required");
        std::vector<std::string> words = words_in(option->get_type_name());
        if (const auto found = choices_.find(option); found != choices_.end())
            words = found->second;
        if (!words.empty()) facts.push_back("one of " + listed(words));
        if (const std::string text = default_of(*option); !text.empty())
            facts.push_back("default " + text);
        if (const std::string variable = variable_of(*option); !variable.empty()) {
            facts.push_back(variable);
            const auto [value, origin] = value_in_effect(option->get_name(false, false), variable);
            if (!origin.empty()) facts.push_back("now " + value + " from " + origin);
        }
        std::string text;
        for (const std::string& fact : facts) text += (text.empty() ? "" : "; ") + fact;
        const std::string& help = option->get_description();
        return text.empty() ? help : help + " (" + text + ')';
    }

private:
    const Choices& choices_;
};

/// The flags of a command, including those of its groups.
void add_flag_helps(const CLI::App& command, const Choices& choices,
                    std::vector<cli::FlagHelp>& flags) {
    for (const CLI::Option* option : command.get_options()) {
        cli::FlagHelp flag;
        for (const std::string& name : option->get_lnames()) flag.names.push_back("--" + name);
        for (const std::string& name : option->get_snames()) flag.names.push_back("-" + name);
        flag.positional = flag.names.empty();
        if (flag.positional) flag.names.push_back(option->get_name(true, false));
        const std::string type = option->get_type_name();
        flag.choices = words_in(type);
        if (const auto found = choices.find(option); found != choices.end())
            flag.choices = found->second;
        if (option->get_items_expected_max() > 0) flag.value = type.substr(0, type.find(':'));
        flag.help = option->get_description();
        flag.otherwise = default_of(*option);
        flag.variable = variable_of(*option);
        flag.group = option->get_group();
        flag.required = option->get_required();
        flag.many = option->get_items_expected_max() > 1;
        flags.push_back(std::move(flag));
    }
    for (const CLI::App* group : command.get_subcommands([](const CLI::App*) { return true; })) {
        if (group->get_name().empty()) add_flag_helps(*group, choices, flags);
    }
}

}  // namespace

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

CommandTree::CommandTree(std::string_view first)
    : first_(first),
      root_(std::make_unique<CLI::App>("Sundial delivers each event once, at its local time.",
                                       "sundial")) {
    root_->set_help_all_flag("--help-all", "print the help of every command");
    root_->set_version_flag("--version", product_line(), "print the version of this program");
    root_->require_subcommand(1);
    const auto formatter = std::make_shared<HelpFormatter>(choices_);
    formatter->column_width(34);
    root_->formatter(formatter);
}

CommandTree::~CommandTree() = default;

bool CommandTree::wants(std::string_view first_word) const {
    return first_.empty() || first_ == first_word;
}

CLI::App& CommandTree::noun(const std::string& name, const char* help) {
    for (CLI::App* each : root_->get_subcommands([](CLI::App*) { return true; })) {
        if (each->get_name() == name) return *each;
    }
    std::string text = help;
    for (const cli::Noun& noun : cli::nouns()) {
        if (noun.name == name) text = noun.help;
    }
    CLI::App& added = *root_->add_subcommand(name, text);
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

void CommandTree::performs(const CLI::App& command, std::vector<std::string> operations) {
    operations_[&command] = std::move(operations);
}

void CommandTree::has_choices(const CLI::Option& option, std::vector<std::string> choices) {
    choices_[&option] = std::move(choices);
}

cli::Manual CommandTree::manual() const {
    cli::Manual manual;
    const std::function<void(const CLI::App&, const std::vector<std::string>&)> add =
        [&](const CLI::App& app, const std::vector<std::string>& path) {
            cli::CommandHelp command{.path = path, .help = app.get_description()};
            command.examples = app.get_footer();
            if (const auto found = operations_.find(&app); found != operations_.end())
                command.operations = found->second;
            add_flag_helps(app, choices_, command.flags);
            const auto commands = below(app);
            command.has_commands = !commands.empty();
            manual.push_back(std::move(command));
            for (const CLI::App* each : commands) {
                std::vector<std::string> longer = path;
                longer.push_back(each->get_name());
                add(*each, longer);
            }
        };
    add(*root_, {});
    return manual;
}

int CommandTree::run(int argc, char** argv) {
    try {
        root_->parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return explain(error, argc, argv);
    }
    return act(argc, argv);
}

std::optional<int> CommandTree::run_correct(int argc, char** argv) {
    if (below(*root_).empty()) return std::nullopt;
    try {
        root_->parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const bool asked_for_help = error.get_exit_code() == 0;
        return asked_for_help ? std::optional{explain(error, argc, argv)} : std::nullopt;
    }
    return act(argc, argv);
}

/// Commands report some errors of the command line themselves.
int CommandTree::act(int argc, char** argv) const {
    try {
        return chosen_();
    } catch (const CLI::ParseError& error) {
        return explain(error, argc, argv);
    }
}

int CommandTree::explain(const CLI::ParseError& error, int argc, char** argv) const {
    const bool asked_for_help = error.get_exit_code() == 0;
    const Walk found = walk(*root_, argc, argv);
    if (!asked_for_help && !below(*found.command).empty()) return report_command(found);
    if (root_->exit(error) == 0) return ok;
    if (found.no_flag) {
        Flags own;
        add_flags_of(*found.command, own);
        if (const auto meant = base::nearest(*found.no_flag, own.all)) {
            std::cerr << "did you mean '" << *meant << "'?\n";
        }
    }
    return usage;
}

bool CommandTree::knows(const std::vector<std::string>& path) const {
    const CLI::App* command = root_.get();
    for (const std::string& word : path) {
        const auto commands = below(*command);
        const auto named = std::ranges::find(commands, word, &CLI::App::get_name);
        if (named == commands.end()) return false;
        command = *named;
    }
    return true;
}

int CommandTree::help(const std::vector<std::string>& path) {
    std::vector<std::string> words{"sundial"};
    words.insert(words.end(), path.begin(), path.end());
    words.emplace_back("--help");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    const Walk found = walk(*root_, static_cast<int>(arguments.size()) - 1, arguments.data());
    if (found.no_command) return report_command(found);
    return run(static_cast<int>(arguments.size()), arguments.data());
}

}  // namespace sundial::server
