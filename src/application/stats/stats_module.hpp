#pragma once

#include "application/ports/module_ports.hpp"
#include "application/stats/collect_stats.hpp"
#include "application/stats/read_heatmap.hpp"
#include "application/stats/read_stats.hpp"
#include "application/stats/record_stats.hpp"

namespace sundial {

/// Counters of what instances did.
struct StatsModule {
    /// `collected` observes this instance.
    StatsModule(const ModulePorts& p, CollectStats& collected)
        : record(p.store, p.monotonic, collected), read(p.store), heatmap(p.store, p.zones) {}

    RecordStats record;
    ReadStats read;
    ReadHeatmap heatmap;
};

}  // namespace sundial
