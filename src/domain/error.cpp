#include "domain/error.hpp"

namespace sundial {

template <class Reason>
    requires is_reason_of<Reason, AnyReason>
Error::Error(Reason reason) : AnyReason(std::in_place_type<Reason>, std::move(reason)) {}
Error::Error(const Error& other) = default;
Error::Error(Error&& other) noexcept = default;
Error& Error::operator=(const Error& other) = default;
Error& Error::operator=(Error&& other) noexcept = default;
Error::~Error() = default;

template Error::Error(ValidationFailed);
template Error::Error(NotFound);
template Error::Error(InvalidStateTransition);
template Error::Error(LeaseLost);
template Error::Error(OptimisticLock);
template Error::Error(DuplicateIdempotencyKey);
template Error::Error(DuplicateExternalId);
template Error::Error(EndpointDisabled);
template Error::Error(EndpointInUse);
template Error::Error(InvalidTemplate);
template Error::Error(InvalidCursor);
template Error::Error(ClockNotTest);
template Error::Error(FirstKeyNotAdmin);
template Error::Error(LastAdminKey);
template Error::Error(Stopped);
template Error::Error(TooManyOperations);
template Error::Error(StreamOptimisticLock);
template Error::Error(EventIdReused);
template Error::Error(AggregateNotFound);
template Error::Error(StreamDeleted);
template Error::Error(StreamArchived);
template Error::Error(PayloadTooLarge);
template Error::Error(CheckpointConflict);
template Error::Error(CheckpointLost);
template Error::Error(FeedDiverged);
template Error::Error(UnknownEventType);
template Error::Error(LockHeld);
template Error::Error(LockNotHeld);
template Error::Error(LockLeaseLost);

}  // namespace sundial
