#pragma once

#include "sundial/engine.hpp"
#include "sundial/recording.hpp"

/// The event store of a program that has Sundial inside: `engine.streams()`. What each word means
/// stands at its declaration in `sundial/recording.hpp`; read `Streams` there first.
namespace sundial {

using embedding::Appended;
using embedding::Checkpoint;
using embedding::EventMetadata;
using embedding::Expected;
using embedding::FeedFilter;
using embedding::FeedPage;
using embedding::Following;
using embedding::NewRecordedEvent;
using embedding::ParkedEvent;
using embedding::RecordedEvent;
using embedding::Snapshot;
using embedding::StreamId;
using embedding::StreamPart;
using embedding::StreamRange;
using embedding::Streams;
using embedding::StreamTransaction;
using embedding::Subscription;

}  // namespace sundial
