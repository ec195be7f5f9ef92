#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/command_line/command_tree.hpp"

namespace sundial::server {
namespace {

/// The commands of one file, by their first words.
struct CommandGroup {
    void (*add)(CommandTree& tree);
    std::vector<std::string_view> first_words;
};

/// In the order of the help. `add_api_commands` chooses among the rows of the table of cli/ itself.
void add_commands(CommandTree& tree) {
    static const std::vector<CommandGroup> groups{
        {add_serving_commands, {"serve", "dev", "tick"}},
        {add_database_commands, {"db", "config"}},
        {add_backup_commands, {"db", "doctor"}},
        {add_cluster_commands, {"db"}},
        {add_api_commands, {}},
        {add_event_commands, {"event", "dlq"}},
        {add_schedule_commands, {"schedule"}},
        {add_key_commands, {"key"}},
        {add_waiting_commands, {"op", "lock", "stream", "feed"}},
        {add_rule_commands, {"next", "schedule"}},
        {add_zone_commands, {"zone"}},
        {add_import_commands, {"import", "apply"}},
        {add_shadow_commands, {"shadow"}},
        {add_bench_commands, {"bench"}},
        {add_manual_commands, {"help", "man", "completion", "version"}},
    };
    for (const CommandGroup& group : groups) {
        bool wanted = group.first_words.empty();
        for (const std::string_view word : group.first_words) wanted = wanted || tree.wants(word);
        if (wanted) group.add(tree);
    }
}

}  // namespace

std::unique_ptr<CommandTree> all_commands() {
    auto tree = std::make_unique<CommandTree>();
    add_commands(*tree);
    return tree;
}

int print_help(const std::vector<std::string>& path) {
    if (!path.empty()) {
        CommandTree part{path.front()};
        add_commands(part);
        if (part.knows(path)) return part.help(path);
    }
    return all_commands()->help(path);
}

int run_command_line(int argc, char** argv) {
    if (argc > 1) {
        CommandTree part{argv[1]};
        add_commands(part);
        if (const std::optional<int> code = part.run_correct(argc, argv)) return *code;
    }
    return all_commands()->run(argc, argv);
}

}  // namespace sundial::server
