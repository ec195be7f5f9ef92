#include "application/requests/reference.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sundial {
namespace {

constexpr std::string_view external_prefix = "ext:";

NotFound absent(Noun noun, std::string_view reference) { return {noun, std::string{reference}}; }

/// The id of `reference`; external ids are looked up in `repository`.
template <class Id, class Repository>
LookupResult<Id> read(Repository& repository, Noun noun, std::string_view reference) {
    if (reference.starts_with(external_prefix)) {
        const auto id = repository.id_of(reference.substr(external_prefix.size()));
        if (!id) return absent(noun, reference);
        return *id;
    }
    const auto uuid = base::parse_uuid(reference);
    if (!uuid) return absent(noun, reference);
    return Id{*uuid};
}

/// The same for many, with one lookup.
template <class Id, class Repository>
std::map<std::string, Id> read_all(Repository& repository,
                                   const std::set<std::string>& references) {
    std::map<std::string, Id> ids;
    std::vector<std::string> external_ids;
    for (const std::string& reference : references) {
        if (reference.starts_with(external_prefix)) {
            external_ids.push_back(reference.substr(external_prefix.size()));
        } else if (const auto uuid = base::parse_uuid(reference)) {
            ids.emplace(reference, Id{*uuid});
        }
    }
    if (external_ids.empty()) return ids;
    for (const auto& [external_id, id] : repository.ids_of(external_ids)) {
        ids.emplace(std::string{external_prefix} + external_id, id);
    }
    return ids;
}

}  // namespace

LookupResult<UserId> user_id(Transaction& tx, std::string_view reference) {
    return read<UserId>(tx.users(), Noun::user, reference);
}

LookupResult<ScheduleId> schedule_id(Transaction& tx, std::string_view reference) {
    return read<ScheduleId>(tx.schedules(), Noun::schedule, reference);
}

LookupResult<EndpointId> endpoint_id(Transaction& tx, std::string_view reference) {
    return read<EndpointId>(tx.endpoints(), Noun::endpoint, reference);
}

std::map<std::string, UserId> user_ids(Transaction& tx, const std::set<std::string>& references) {
    return read_all<UserId>(tx.users(), references);
}

std::map<std::string, EndpointId> endpoint_ids(Transaction& tx,
                                               const std::set<std::string>& references) {
    return read_all<EndpointId>(tx.endpoints(), references);
}

LookupResult<EventId> event_id(std::string_view reference) {
    const auto uuid = base::parse_uuid(reference);
    if (!uuid) return absent(Noun::event, reference);
    return EventId{*uuid};
}

LookupResult<OperationId> operation_id(std::string_view reference) {
    const auto uuid = base::parse_uuid(reference);
    if (!uuid) return absent(Noun::operation, reference);
    return OperationId{*uuid};
}

}  // namespace sundial
