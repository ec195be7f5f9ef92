#pragma once

#include "sundial/embedding.hpp"
#include "sundial/endpoints.hpp"
#include "sundial/scheduling.hpp"
#include "sundial/sql.hpp"
#include "sundial/transacting.hpp"

/// Everything that a program needs to embed Sundial. The declarations in `sundial/embedding.hpp`
/// have the documentation; start with `Engine`.
namespace sundial {

using embedding::AttemptReport;
using embedding::CallerTransaction;
using embedding::Conflict;
using embedding::Cron;
using embedding::DivergedFeed;
using embedding::Done;
using embedding::Duplicate;
using embedding::Endpoint;
using embedding::EndpointChange;
using embedding::EndpointTest;
using embedding::EndpointType;
using embedding::Engine;
using embedding::Error;
using embedding::Event;
using embedding::EventChange;
using embedding::EventFilter;
using embedding::EventPage;
using embedding::Every;
using embedding::Gap;
using embedding::Handled;
using embedding::Handler;
using embedding::HandlerOptions;
using embedding::HeldLock;
using embedding::Instant;
using embedding::InvalidField;
using embedding::InvalidFields;
using embedding::Leap;
using embedding::LogRecord;
using embedding::LostLease;
using embedding::Misfire;
using embedding::Missing;
using embedding::MovedCheckpoint;
using embedding::NewEndpoint;
using embedding::NewEvent;
using embedding::NewSchedule;
using embedding::NewUser;
using embedding::Occurrence;
using embedding::Once;
using embedding::Options;
using embedding::Overlap;
using embedding::PageOptions;
using embedding::Preview;
using embedding::Priority;
using embedding::PullWorker;
using embedding::QueueOptions;
using embedding::ReceivedRequest;
using embedding::ReceivedSignature;
using embedding::RefusedStream;
using embedding::Repeat;
using embedding::repeat_of;
using embedding::Result;
using embedding::ReusedId;
using embedding::ReusedIds;
using embedding::Rrule;
using embedding::Rule;
using embedding::Schedule;
using embedding::SecretRotation;
using embedding::SqlFailure;
using embedding::StoppableHandler;
using embedding::StoppedEndpoint;
using embedding::StoredEndpoint;
using embedding::Transaction;
using embedding::TypedEvent;
using embedding::UsedEndpoint;
using embedding::UsedKey;
using embedding::User;
using embedding::VersionConflict;
using embedding::WebhookOptions;
using embedding::WorkOrder;
using embedding::WrongState;
using embedding::WrongTemplate;
using embedding::Yearly;

}  // namespace sundial
