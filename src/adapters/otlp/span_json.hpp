#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "application/ports/tracer.hpp"

namespace sundial::otlp {

/// The program that the spans are from.
struct Resource {
    std::string service;  // service.name
    std::string version;
    std::string instance;  // sundial.instance.id
};

/// An ExportTraceServiceRequest in OTLP's JSON encoding: ids in hex, times and integers as strings,
/// enums as numbers.
[[nodiscard]] std::string request_body(const Resource& resource, std::span<const Span> spans);

}  // namespace sundial::otlp
