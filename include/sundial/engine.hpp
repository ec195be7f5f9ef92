#pragma once

#include "sundial/embedding.hpp"
#include "sundial/sql.hpp"
#include "sundial/transacting.hpp"

/// Everything that a program needs to embed Sundial. The declarations in `sundial/embedding.hpp`
/// have the documentation; start with `Engine`.
namespace sundial {

using embedding::CallerTransaction;
using embedding::Conflict;
using embedding::Done;
using embedding::Engine;
using embedding::Error;
using embedding::Event;
using embedding::Handled;
using embedding::Handler;
using embedding::HandlerOptions;
using embedding::Instant;
using embedding::NewEvent;
using embedding::NewUser;
using embedding::Options;
using embedding::PullWorker;
using embedding::Result;
using embedding::SqlFailure;
using embedding::StoppableHandler;
using embedding::Transaction;
using embedding::TypedEvent;
using embedding::User;
using embedding::WorkOrder;

}  // namespace sundial
