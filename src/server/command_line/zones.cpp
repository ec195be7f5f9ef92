#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "adapters/system/clocks.hpp"
#include "application/ports/failures.hpp"
#include "cli/commands.hpp"
#include "server/command_line/command_tree.hpp"
#include "server/command_line/flags.hpp"
#include "server/process.hpp"

namespace sundial::server {
namespace {

struct ZoneFlags {
    SettingsFlags settings{};
    bool json = false;
    std::string part{};
    cli::ZoneShowOptions show{};
    cli::ZoneConvertOptions convert{};
    cli::ZoneDiffOptions diff{};
    std::vector<std::string> databases{};
};
using SharedZoneFlags = std::shared_ptr<ZoneFlags>;

using ZoneCommand = std::function<int(const TzData& zones, Instant now, const cli::Output& output)>;

/// Runs `ask` with the tz database of the settings.
int ask_zones(const ZoneFlags& flags, const ZoneCommand& ask) {
    const auto zones = load_time_zones(load(flags.settings).settings)->current();
    return ask(*zones, system::real_time(), output(flags.json));
}

/// `which` is a directory, or the release of the tz database in the settings.
std::shared_ptr<const TzData> named_tzdata(const std::string& which,
                                           const std::shared_ptr<const TzData>& configured) {
    if (which == configured->release()) return configured;
    if (std::filesystem::is_directory(which)) return load_time_zones(which)->current();
    throw CannotStart("'" + which + "' is neither a directory nor the release in use (" +
                      configured->release() +
                      "): give the directory of an unpacked tz database, as /usr/share/zoneinfo");
}

int diff_zones(const ZoneFlags& flags) {
    const auto configured = load_time_zones(load(flags.settings).settings)->current();
    const auto first = named_tzdata(flags.databases.front(), configured);
    const bool one = flags.databases.size() == 1;
    const auto second = one ? first : named_tzdata(flags.databases.back(), configured);
    return cli::diff_zones(flags.diff, one ? *configured : *first, *second, system::real_time(),
                           output(flags.json));
}

CLI::App& add_list(CommandTree& tree, CLI::App& zone, const SharedZoneFlags& flags) {
    CLI::App& list =
        tree.verb(zone, "list", "list zones with their current offsets and next changes", [flags] {
            return ask_zones(*flags, [&](const auto& zones, Instant now, const auto& out) {
                return cli::list_zones(flags->part, zones, now, out);
            });
        });
    list.add_option("PART", flags->part, "part of the name; upper and lower case are the same");
    return list;
}

CLI::App& add_show(CommandTree& tree, CLI::App& zone, const SharedZoneFlags& flags) {
    CLI::App& show = tree.verb(zone, "show", "show when a zone changes its offset", [flags] {
        return ask_zones(*flags, [&](const auto& zones, Instant now, const auto& out) {
            return cli::show_zone(flags->show, zones, now, out);
        });
    });
    show.add_option("ZONE", flags->show.zone, "Europe/Berlin")->required();
    show.add_option("--from", flags->show.from, "an instant (now)");
    show.add_option("--to", flags->show.to, "an instant (three years later)");
    return show;
}

CLI::App& add_convert(CommandTree& tree, CLI::App& zone, const SharedZoneFlags& flags) {
    CLI::App& convert = tree.verb(zone, "convert", "convert a time to other zones", [flags] {
        return ask_zones(*flags, [&](const auto& zones, Instant, const auto& out) {
            return cli::convert_time(flags->convert, zones, out);
        });
    });
    convert
        .add_option("TIME", flags->convert.time,
                    "local (2027-01-05T09:00) or an instant (2027-01-05T08:00:00Z)")
        ->required();
    convert.add_option("--from", flags->convert.from, "the local time's zone");
    convert.add_option("--to", flags->convert.to, "zones to show it in (UTC)")->delimiter(',');
    convert.add_option(
        "--gap", flags->convert.gap,
        "policy for a time that does not exist: compatible, earlier, later, boundary, reject");
    convert.add_option("--overlap", flags->convert.overlap,
                       "policy for a time that occurs twice: compatible, earlier, later, reject");
    return convert;
}

CLI::App& add_diff(CommandTree& tree, CLI::App& zone, const SharedZoneFlags& flags) {
    CLI::App& diff =
        tree.verb(zone, "diff", "show which zones differ between two tz databases, and from when",
                  [flags] { return diff_zones(*flags); });
    diff.add_option(
            "DATABASE", flags->databases,
            "one or two directories; a single directory is compared with the release in use")
        ->required()
        ->expected(1, 2);
    diff.add_option("--from", flags->diff.from, "an instant (now)");
    diff.add_option("--to", flags->diff.to, "an instant (ten years later)");
    return diff;
}

}  // namespace

void add_zone_commands(CommandTree& tree) {
    const auto flags = std::make_shared<ZoneFlags>();
    CLI::App& zone = tree.noun("zone");
    for (CLI::App* const each : {&add_list(tree, zone, flags), &add_show(tree, zone, flags),
                                 &add_convert(tree, zone, flags), &add_diff(tree, zone, flags)}) {
        add_config_flag(*each, flags->settings);
        const auto take = [flags](const std::string& text) {
            flags->settings.settings["tz.dir"] = text;
        };
        each->add_option_function<std::string>(
            "--tz.dir", take, "directory of the tz database, instead of the system's");
        each->add_flag("--json", flags->json, "one JSON document");
    }
    zone.footer(
        "sundial zone list paris\n"
        "sundial zone show America/Vancouver --to 2030-01-01T00:00:00Z\n"
        "sundial zone convert 2027-03-28T02:30 --from Europe/Paris --to UTC,Asia/Tokyo\n"
        "sundial zone diff 2025b /tmp/tzdata/usr/share/zoneinfo");
}

}  // namespace sundial::server
