#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/memory/table.hpp"
#include "domain/error.hpp"

namespace sundial::memory {

/// The id of the row that has the external id.
template <class Id, class Row>
[[nodiscard]] std::optional<Id> id_of(const Table<Id, Row>& table, std::string_view external_id) {
    for (const auto& [id, row] : table.rows()) {
        if (row.external_id == external_id) return id;
    }
    return std::nullopt;
}

/// The same for many; unknown external ids are left out.
template <class Id, class Row>
[[nodiscard]] std::map<std::string, Id> ids_of(const Table<Id, Row>& table,
                                               std::span<const std::string> external_ids) {
    std::map<std::string, Id> found;
    for (const std::string& external_id : external_ids) {
        if (const auto id = id_of(table, external_id)) found.emplace(external_id, *id);
    }
    return found;
}

/// Errors: DuplicateExternalId, if another row has the external id of `row`.
template <class Id, class Row>
[[nodiscard]] Result<void> external_id_is_free(const Table<Id, Row>& table, const Row& row,
                                               Noun noun) {
    if (!row.external_id) return {};
    const auto holder = id_of(table, *row.external_id);
    if (!holder || *holder == row.id) return {};
    return DuplicateExternalId{noun, *row.external_id, holder->value};
}

/// The rows of `ids` that exist.
template <class Id, class Row>
[[nodiscard]] std::vector<Row> those_of(const Table<Id, Row>& table, std::span<const Id> ids) {
    std::vector<Row> found;
    for (const auto& id : std::set<Id>{ids.begin(), ids.end()}) {
        if (const auto* row = table.find(id)) found.push_back(*row);
    }
    return found;
}

}  // namespace sundial::memory
