#include "application/reference.hpp"

#include <optional>
#include <string>

namespace sundial {
namespace {

constexpr std::string_view external_prefix = "ext:";

NotFound absent(Noun noun, std::string_view reference) { return {noun, std::string{reference}}; }

/// The id that `reference` says; by external id it is looked up in `repository`.
template <class Id, class Repository>
Result<Id> read(Repository& repository, Noun noun, std::string_view reference) {
    if (reference.starts_with(external_prefix)) {
        const auto id = repository.id_of(reference.substr(external_prefix.size()));
        if (!id) return absent(noun, reference);
        return *id;
    }
    const auto uuid = base::parse_uuid(reference);
    if (!uuid) return absent(noun, reference);
    return Id{*uuid};
}

}  // namespace

Result<UserId> user_id(Transaction& tx, std::string_view reference) {
    return read<UserId>(tx.users(), Noun::user, reference);
}

Result<ScheduleId> schedule_id(Transaction& tx, std::string_view reference) {
    return read<ScheduleId>(tx.schedules(), Noun::schedule, reference);
}

Result<EndpointId> endpoint_id(Transaction& tx, std::string_view reference) {
    return read<EndpointId>(tx.endpoints(), Noun::endpoint, reference);
}

Result<EventId> event_id(std::string_view reference) {
    const auto uuid = base::parse_uuid(reference);
    if (!uuid) return absent(Noun::event, reference);
    return EventId{*uuid};
}

Result<OperationId> operation_id(std::string_view reference) {
    const auto uuid = base::parse_uuid(reference);
    if (!uuid) return absent(Noun::operation, reference);
    return OperationId{*uuid};
}

}  // namespace sundial
