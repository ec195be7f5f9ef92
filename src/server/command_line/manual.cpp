#include "cli/manual.hpp"

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "server/command_line/command_tree.hpp"
#include "server/command_line/flags.hpp"
#include "server/version.hpp"

namespace sundial::server {
namespace {

struct ManualFlags {
    std::vector<std::string> path{};
    bool json = false;
    bool markdown = false;
    std::string directory{};
    std::string shell{};
};

/// Writes one file per page, `sundial-event.1`.
int write_man_pages(const cli::Manual& manual, const std::filesystem::path& directory) {
    std::filesystem::create_directories(directory);
    for (const std::string& name : cli::man_pages(manual)) {
        const auto file = directory / (name.empty() ? "sundial.1" : "sundial-" + name + ".1");
        std::ofstream page(file);
        page << cli::man_page(manual, name, product_version());
        if (!page.flush()) {
            std::cerr << "sundial: cannot write " << file.string() << '\n';
            return failure;
        }
    }
    return ok;
}

int print_man_page(const ManualFlags& flags) {
    const auto tree = all_commands();
    const cli::Manual manual = tree->manual();
    if (!flags.directory.empty()) return write_man_pages(manual, flags.directory);
    const std::string name = flags.path.empty() ? "" : flags.path.front();
    const std::string page = cli::man_page(manual, name, product_version());
    if (page.empty()) return tree->help(flags.path);  // reports the unknown name
    std::cout << page;
    return ok;
}

void print_version_json() {
    boost::json::object product{
        {"version", product_version()}, {"commit", product_commit()}, {"sbomSha256", nullptr}};
    if (const std::string digest = product_sbom(); !digest.empty()) product["sbomSha256"] = digest;
    std::cout << boost::json::serialize(product) << '\n';
}

}  // namespace

void add_manual_commands(CommandTree& tree) {
    const auto flags = std::make_shared<ManualFlags>();
    CLI::App& help = tree.verb("help", "print the help of a command", [flags] {
        if (!flags->json && !flags->markdown) return print_help(flags->path);
        const cli::Manual manual = all_commands()->manual();
        if (flags->json) std::cout << cli::manual_json(manual);
        if (flags->markdown) std::cout << cli::command_reference(manual);
        return static_cast<int>(ok);
    });
    help.add_option("command", flags->path, "such as: event list");
    help.add_flag("--json", flags->json, "all commands, for programs");
    help.add_flag("--markdown", flags->markdown, "all commands, as in the reference");

    CLI::App& man = tree.verb("man", "print a man page: sundial man | man -l -",
                              [flags] { return print_man_page(*flags); });
    man.add_option("command", flags->path, "a noun, or a command without one; else the overview");
    man.add_option("--directory", flags->directory, "write all man pages to this folder")
        ->type_name("DIR");

    CLI::App& completion =
        tree.verb("completion", "print a completion script for a shell", [flags] {
            const cli::Manual manual = all_commands()->manual();
            std::cout << (flags->shell == "bash"  ? cli::bash_completion(manual)
                          : flags->shell == "zsh" ? cli::zsh_completion(manual)
                                                  : cli::fish_completion(manual));
            return static_cast<int>(ok);
        });
    completion.add_option("shell", flags->shell, "the shell")
        ->check(CLI::IsMember({"bash", "zsh", "fish"}))
        ->required();
    completion.footer(
        "source <(sundial completion bash)\n"
        "sundial completion zsh > \"${fpath[1]}/_sundial\"\n"
        "sundial completion fish > ~/.config/fish/completions/sundial.fish");

    CLI::App& version = tree.verb("version", "print the version of this program", [flags] {
        if (flags->json) {
            print_version_json();
        } else {
            std::cout << product_line() << "\n";
        }
        return static_cast<int>(ok);
    });
    version.add_flag("--json", flags->json,
                     "with the commit and the SHA-256 of the package's SBOM, for programs");
}

}  // namespace sundial::server
