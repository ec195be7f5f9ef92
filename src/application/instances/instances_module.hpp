#pragma once

#include <utility>

#include "application/instances/report_instance.hpp"

namespace sundial {

/// The instances of a database, as people see them.
struct InstancesModule {
    InstancesModule(ReportInstance::Self self, ReportInstance::Ports ports, Ids& ids)
        : report(std::move(self), ports), drain(ports.store, ids) {}

    ReportInstance report;
    DrainInstance drain;
};

}  // namespace sundial
