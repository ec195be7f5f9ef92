#include "cli/manual.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

#include "base/json.hpp"
#include "base/text.hpp"

namespace sundial::cli {
namespace {

constexpr std::string_view settings_group = "Settings";
constexpr std::string_view connection_group = "Connection";

std::string joined(const std::vector<std::string>& texts, std::string_view between) {
    std::string all;
    for (const std::string& text : texts) {
        if (!all.empty()) all += between;
        all += text;
    }
    return all;
}

std::string command_text(const CommandHelp& command) { return joined(command.path, " "); }

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

/// False for a flag that takes @FILE, which a shell cannot complete.
bool takes_file(const FlagHelp& flag) {
    return flag.value.find("FILE") != std::string::npos &&
           flag.value.find('@') == std::string::npos;
}
bool takes_folder(const FlagHelp& flag) { return flag.value == "DIR"; }
bool takes_value(const FlagHelp& flag) { return !flag.value.empty(); }

/// The commands directly below a path.
std::vector<const CommandHelp*> below(const Manual& manual, const std::vector<std::string>& path) {
    std::vector<const CommandHelp*> found;
    for (const CommandHelp& command : manual) {
        const bool deeper = command.path.size() == path.size() + 1;
        if (deeper && std::equal(path.begin(), path.end(), command.path.begin()))
            found.push_back(&command);
    }
    return found;
}

/// "default 50; SUNDIAL_SERVER; one of A, B".
std::string facts_of(const FlagHelp& flag) {
    std::vector<std::string> facts;
    if (!flag.otherwise.empty() && takes_value(flag)) facts.push_back("default " + flag.otherwise);
    if (!flag.variable.empty()) facts.push_back("variable " + flag.variable);
    if (!flag.choices.empty()) facts.push_back("one of " + joined(flag.choices, ", "));
    if (flag.required) facts.emplace_back("required");
    return joined(facts, "; ");
}

// --- man pages

std::string roff(std::string_view text) {
    std::string safe = replaced(std::string(text), "\\", "\\e");
    safe = replaced(safe, "-", "\\-");
    safe = replaced(safe, "…", "...");
    if (safe.starts_with('.') || safe.starts_with('\'')) safe.insert(0, "\\&");
    return safe;
}

std::string roff_flag(const FlagHelp& flag) {
    std::string names;
    for (const std::string& name : flag.names) {
        if (!names.empty()) names += ", ";
        names += (flag.positional ? "\\fI" : "\\fB") + roff(name) + "\\fR";
    }
    if (!flag.positional && takes_value(flag)) names += " \\fI" + roff(flag.value) + "\\fR";
    const std::string facts = facts_of(flag);
    const std::string help =
        flag.help.empty() ? facts : flag.help + (facts.empty() ? "" : " (" + facts + ")");
    return ".TP\n" + names + '\n' + roff(help.empty() ? "no value" : help) + '\n';
}

std::string roff_synopsis(const CommandHelp& command) {
    std::string line = "\\fBsundial " + roff(command_text(command)) + "\\fR";
    for (const FlagHelp& flag : command.flags) {
        if (!flag.positional) continue;
        std::string word = "\\fI" + roff(flag.names.front()) + "\\fR" + (flag.many ? "..." : "");
        line += flag.required ? ' ' + word : " [" + word + ']';
    }
    for (const FlagHelp& flag : command.flags) {
        if (flag.positional || !flag.required) continue;
        line += " \\fB" + roff(flag.names.front()) + "\\fR \\fI" + roff(flag.value) + "\\fR";
    }
    return line + " [\\fIflags\\fR]";
}

bool is_help(const FlagHelp& flag) {
    return flag.names.front() == "--help" || flag.names.front() == "--help-all";
}

std::string title(const std::string& name, const std::string& version) {
    std::string upper = name.empty() ? "SUNDIAL" : "SUNDIAL-" + name;
    std::ranges::transform(upper, upper.begin(), base::upper);
    return ".TH " + roff(upper) + " 1 \"\" \"sundial " + roff(version) + "\" \"Sundial\"\n";
}

constexpr std::string_view exit_codes =
    ".SH EXIT STATUS\n"
    ".TP\n0\nsuccess\n.TP\n1\nfailure\n.TP\n2\nwrong command line, or the server reports an "
    "invalid request\n"
    ".TP\n3\nnot found\n.TP\n4\nconflict: version, state, lock, idempotency key\n"
    ".TP\n5\nno key, or one with too low a role\n.TP\n6\nserver or database does not respond\n"
    ".TP\n7\nfinished, but some parts failed\n.TP\n8\nstill running after \\-\\-timeout\n"
    ".TP\n130\ninterrupted\n";

std::string overview_page(const Manual& manual, const std::string& version) {
    std::string page =
        title("", version) +
        ".SH NAME\nsundial \\- deliver each event once, at its local time\n"
        ".SH SYNOPSIS\n\\fBsundial\\fR \\fIcommand\\fR [\\fIflags\\fR]\n.SH DESCRIPTION\n"
        "Results go to standard output, messages and logs to standard error. A flag takes "
        "precedence over an "
        "environment variable, and that over a file.\n.SH COMMANDS\n";
    for (const CommandHelp* command : below(manual, {})) {
        page += ".TP\n\\fBsundial\\-" + roff(command->path.front()) + "\\fR(1)\n" +
                roff(command->help) + '\n';
    }
    page +=
        ".SH ENVIRONMENT\nEach setting has a variable: see \\fBsundial\\-serve\\fR(1). The "
        "commands that ask a server read:\n";
    for (const CommandHelp& command : manual) {
        if (command_text(command) != "event list") continue;
        for (const FlagHelp& flag : command.flags) {
            if (!flag.variable.empty())
                page += ".TP\n" + roff(flag.variable) + '\n' + roff(flag.help) + " (" +
                        roff(flag.names.front()) + ")\n";
        }
    }
    return page + std::string(exit_codes);
}

// --- completion

std::string shell_quoted(std::string_view text) {
    return '\'' + replaced(std::string(text), "'", "'\\''") + '\'';
}

/// The commands and fixed words that may follow a path.
std::vector<std::string> words_after(const Manual& manual, const CommandHelp& command) {
    std::vector<std::string> words;
    for (const CommandHelp* each : below(manual, command.path)) words.push_back(each->path.back());
    for (const FlagHelp& flag : command.flags) {
        if (flag.positional) words.insert(words.end(), flag.choices.begin(), flag.choices.end());
    }
    return words;
}

std::vector<std::string> flags_of(const CommandHelp& command) {
    std::vector<std::string> names;
    for (const FlagHelp& flag : command.flags) {
        if (!flag.positional) names.insert(names.end(), flag.names.begin(), flag.names.end());
    }
    return names;
}

/// 'event list:--status', as a `case` pattern.
std::string step_in_shell(const std::string& path, const std::string& word) {
    return shell_quoted(path + ':' + word);
}

/// `case` patterns for each step from a path to a command below it: 'event:list'.
std::string steps_in_shell(const Manual& manual) {
    std::string steps;
    for (const CommandHelp& command : manual) {
        if (command.path.empty()) continue;
        const std::vector<std::string> above(command.path.begin(), command.path.end() - 1);
        steps += (steps.empty() ? "" : " | \\\n            ") +
                 shell_quoted(joined(above, " ") + ':' + command.path.back());
    }
    return steps;
}

std::string one_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
}

}  // namespace

std::string manual_json(const Manual& manual) {
    base::JsonWriter json;
    const auto texts = [&](const char* name, const std::vector<std::string>& values) {
        json.key(name).begin_array();
        for (const std::string& value : values) json.value(value);
        json.end_array();
    };
    json.begin_array();
    for (const CommandHelp& command : manual) {
        if (command.has_commands) continue;
        json.begin_object().member("command", command_text(command)).member("help", command.help);
        texts("operations", command.operations);
        json.key("flags").begin_array();
        for (const FlagHelp& flag : command.flags) {
            json.begin_object();
            texts("names", flag.names);
            json.member("value", flag.value).member("help", flag.help);
            json.member("default", flag.otherwise).member("variable", flag.variable);
            texts("choices", flag.choices);
            json.member("positional", flag.positional)
                .member("required", flag.required)
                .end_object();
        }
        json.end_array().end_object();
    }
    return std::move(json.end_array()).text() + '\n';
}

std::vector<std::string> man_pages(const Manual& manual) {
    std::vector<std::string> names{""};
    for (const CommandHelp* command : below(manual, {})) names.push_back(command->path.front());
    return names;
}

std::string man_page(const Manual& manual, const std::string& name, const std::string& version) {
    if (name.empty()) return overview_page(manual, version);
    const auto found = std::ranges::find(manual, std::vector{name}, &CommandHelp::path);
    if (found == manual.end()) return "";
    std::vector<const CommandHelp*> commands = below(manual, found->path);
    if (commands.empty()) commands = {&*found};
    std::string page = title(name, version) + ".SH NAME\nsundial\\-" + roff(name) + " \\- " +
                       roff(found->help) + "\n.SH SYNOPSIS\n.nf\n";
    for (const CommandHelp* command : commands) page += roff_synopsis(*command) + '\n';
    page += ".fi\n.SH COMMANDS\n";
    std::vector<FlagHelp> connection, settings;
    for (const CommandHelp* command : commands) {
        page += ".SS sundial " + roff(command_text(*command)) + '\n' + roff(command->help) + '\n';
        for (const FlagHelp& flag : command->flags) {
            if (is_help(flag)) continue;
            auto* const shared = flag.group == connection_group ? &connection
                                 : flag.group == settings_group ? &settings
                                                                : nullptr;
            if (shared == nullptr)
                page += roff_flag(flag);
            else if (std::ranges::find(*shared, flag.names, &FlagHelp::names) == shared->end())
                shared->push_back(flag);
        }
        if (!command->examples.empty()) {
            page += ".PP\n.nf\n";
            std::string_view rest = command->examples;
            for (;;) {
                const auto end = rest.find('\n');
                page += roff(rest.substr(0, end)) + '\n';
                if (end == rest.npos) break;
                rest.remove_prefix(end + 1);
            }
            page += ".fi\n";
        }
    }
    if (!connection.empty()) page += ".SH CONNECTION\n";
    for (const FlagHelp& flag : connection) page += roff_flag(flag);
    if (!settings.empty()) page += ".SH SETTINGS\n";
    for (const FlagHelp& flag : settings) page += roff_flag(flag);
    return page + std::string(exit_codes) + ".SH SEE ALSO\n\\fBsundial\\fR(1)\n";
}

std::string bash_completion(const Manual& manual) {
    constexpr std::string_view script =
        R"bash(# bash completion of sundial, made by `sundial completion bash`.
_sundial() {
    local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"
    local at='' word words='' flags='' files=''
    if [[ $cur == '=' ]]; then
        cur=''
    elif [[ $prev == '=' && $COMP_CWORD -gt 1 ]]; then
        prev="${COMP_WORDS[COMP_CWORD-2]}"
    fi
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case "$at:$word" in
            @STEPS@) at="${at:+$at }$word" ;;
        esac
    done
    case "$at:$prev" in
@VALUES@    esac
    case "$at" in
@WORDS@    esac
    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$cur")
    elif [[ $files ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    else
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    fi
}
complete -F _sundial sundial
)bash";
    std::string values, words;
    for (const CommandHelp& command : manual) {
        const std::string path = command_text(command);
        std::vector<std::string> unknown;  // their values are not known here
        bool files = false;
        for (const FlagHelp& flag : command.flags) {
            files = files || (flag.positional && takes_file(flag));
            if (flag.positional || !takes_value(flag)) continue;
            std::vector<std::string> patterns;
            patterns.reserve(flag.names.size());
            for (const std::string& name : flag.names)
                patterns.push_back(step_in_shell(path, name));
            const std::string reply = !flag.choices.empty()
                                          ? "-W " + shell_quoted(joined(flag.choices, " "))
                                      : takes_file(flag)   ? "-f"
                                      : takes_folder(flag) ? "-d"
                                                           : "";
            if (reply.empty()) {
                unknown.insert(unknown.end(), patterns.begin(), patterns.end());
                continue;
            }
            values +=
                "        " + joined(patterns, " | ") + ")\n" +
                (reply == "-f" || reply == "-d" ? "            compopt -o filenames 2>/dev/null\n"
                                                : "") +
                "            mapfile -t COMPREPLY < <(compgen " + reply +
                " -- \"$cur\")\n            return ;;\n";
        }
        if (!unknown.empty()) values += "        " + joined(unknown, " | ") + ") return ;;\n";
        words += "        " + shell_quoted(path) +
                 ") words=" + shell_quoted(joined(words_after(manual, command), " ")) +
                 " flags=" + shell_quoted(joined(flags_of(command), " ")) +
                 (files ? " files=yes" : "") + " ;;\n";
    }
    std::string text = replaced(std::string(script), "@STEPS@", steps_in_shell(manual));
    return replaced(replaced(text, "@VALUES@", values), "@WORDS@", words);
}

std::string zsh_completion(const Manual& manual) {
    constexpr std::string_view script = R"zsh(#compdef sundial
# zsh completion of sundial, made by `sundial completion zsh`.
_sundial() {
    local at='' word
    local -a commands flags
    for word in "${(@)words[2,CURRENT-1]}"; do
        case "$at:$word" in
            (@STEPS@) at="${at:+$at }$word" ;;
        esac
    done
    case "$at:${words[CURRENT-1]}" in
@VALUES@    esac
    case "$at" in
@WORDS@    esac
    if [[ $PREFIX == -* ]]; then
        _describe -o flag flags
    elif (( $#commands )); then
        _describe command commands
    else
        _files
    fi
}
if [[ $funcstack[1] == _sundial ]]; then
    _sundial "$@"
else
    compdef _sundial sundial
fi
)zsh";
    const auto described = [](std::string_view name, const std::string& help) {
        return shell_quoted(replaced(std::string(name), ":", "\\:") + ':' + one_line(help));
    };
    std::string values, words;
    for (const CommandHelp& command : manual) {
        const std::string path = command_text(command);
        std::vector<std::string> commands, flags;
        for (const CommandHelp* each : below(manual, command.path))
            commands.push_back(described(each->path.back(), each->help));
        for (const FlagHelp& flag : command.flags) {
            if (flag.positional) {
                for (const std::string& choice : flag.choices)
                    commands.push_back(described(choice, flag.help));
                continue;
            }
            std::vector<std::string> patterns;
            patterns.reserve(flag.names.size());
            for (const std::string& name : flag.names) {
                flags.push_back(described(name, flag.help));
                patterns.push_back(step_in_shell(path, name));
            }
            if (!takes_value(flag)) continue;
            const std::string reply =
                !flag.choices.empty() ? "compadd -- " + joined(flag.choices, " ")
                : takes_file(flag)    ? "_files"
                : takes_folder(flag)  ? "_files -/"
                                      : "_message " + shell_quoted(one_line(flag.help));
            values += "        (" + joined(patterns, "|") + ") " + reply + "; return ;;\n";
        }
        words += "        (" + shell_quoted(path) + ") commands=(" + joined(commands, " ") +
                 "); flags=(" + joined(flags, " ") + ") ;;\n";
    }
    std::string text = replaced(std::string(script), "@STEPS@", steps_in_shell(manual));
    return replaced(replaced(text, "@VALUES@", values), "@WORDS@", words);
}

std::string fish_completion(const Manual& manual) {
    constexpr std::string_view script =
        R"fish(# fish completion of sundial, made by `sundial completion fish`.
function __sundial_at
    set -l at ''
    for word in (commandline -opc)[2..]
        switch "$at:$word"
            case @STEPS@
                set at (string trim -- "$at $word")
        end
    end
    test "$at" = "$argv[1]"
end
complete -c sundial -f
)fish";
    std::string text = replaced(std::string(script), "@STEPS@",
                                replaced(steps_in_shell(manual), " | \\\n           ", ""));
    for (const CommandHelp& command : manual) {
        const std::string at = "complete -c sundial -n " +
                               shell_quoted("__sundial_at \"" + command_text(command) + '"');
        for (const CommandHelp* each : below(manual, command.path)) {
            text += at + " -a " + each->path.back() + " -d " + shell_quoted(one_line(each->help)) +
                    '\n';
        }
        for (const FlagHelp& flag : command.flags) {
            if (flag.positional) {
                if (!flag.choices.empty())
                    text += at + " -a " + shell_quoted(joined(flag.choices, " ")) + '\n';
                if (takes_file(flag)) text += at + " -F\n";
                continue;
            }
            std::string line = at;
            for (const std::string& name : flag.names)
                line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
            if (!flag.choices.empty()) {
                line += " -x -a " + shell_quoted(joined(flag.choices, " "));
            } else if (takes_file(flag) || takes_folder(flag)) {
                line += " -r -F";
            } else if (takes_value(flag)) {
                line += " -x";
            }
            text += line + " -d " + shell_quoted(one_line(flag.help)) + '\n';
        }
    }
    return text;
}

std::string command_page(const CommandHelp& command) {
    std::string synopsis = "sundial " + command_text(command);
    std::string rows;
    bool asks_server = false, has_settings = false;
    for (const FlagHelp& flag : command.flags) {
        asks_server = asks_server || flag.group == connection_group;
        has_settings = has_settings || flag.group == settings_group;
        if (is_help(flag) || flag.group == connection_group || flag.group == settings_group)
            continue;
        std::string names = joined(flag.names, "`, `");
        if (flag.positional) {
            std::ranges::transform(names, names.begin(), base::upper);
            const std::string word = names + (flag.many ? "…" : "");
            synopsis += flag.required ? ' ' + word : " [" + word + ']';
        } else if (flag.required) {
            synopsis += ' ' + flag.names.front() + ' ' + flag.value;
        }
        names = '`' + names + '`';
        if (!flag.positional && takes_value(flag)) names += " `" + flag.value + '`';
        const std::string facts = facts_of(flag);
        const std::string text =
            flag.help.empty() ? facts : flag.help + (facts.empty() ? "" : " (" + facts + ")");
        rows += "| " + replaced(names, "|", "\\|") + " | " + replaced(one_line(text), "|", "\\|") +
                " |\n";
    }
    std::string page = "# sundial " + command_text(command) + "\n\n" + command.help +
                       ".\n\n```sh\n" + synopsis + "\n```\n";
    if (!rows.empty()) page += "\n## Arguments and flags\n\n| | |\n|---|---|\n" + rows;
    if (asks_server)
        page +=
            "\nThe command asks a server: it also has the "
            "[flags of the connection](../reference/cli.md), `--server` and `--api-key` among "
            "them.\n";
    if (has_settings)
        page += "\nIt takes every [setting](../reference/configuration.md) as `--key=value`.\n";
    if (!command.examples.empty())
        page += "\n## Examples\n\n```sh\n" + command.examples + "\n```\n";
    return page +
           "\n[All commands](../commands.md) · [exit codes](../reference/cli.md#exit-codes)\n";
}

std::string command_reference(const Manual& manual) {
    std::string text = "| command | does |\n|---|---|\n";
    for (const CommandHelp& command : manual) {
        if (command.has_commands) continue;
        std::string line = "`sundial " + command_text(command);
        std::vector<std::string> flags;
        for (const FlagHelp& flag : command.flags) {
            if (is_help(flag)) continue;
            if (flag.positional) {
                std::string word = flag.names.front();
                std::ranges::transform(word, word.begin(), base::upper);
                line += flag.required ? ' ' + word : " [" + word + ']';
                if (flag.many) line += "…";
            } else if (flag.group != connection_group && flag.group != settings_group &&
                       flag.group != "Output") {
                flags.push_back('`' + flag.names.front() + '`');
            }
        }
        std::string help = replaced(one_line(command.help), "|", "\\|");
        if (!flags.empty()) help += ": " + joined(flags, " ");
        text += "| " + replaced(line, "|", "\\|") + "` | " + help + " |\n";
    }
    return text;
}

}  // namespace sundial::cli
