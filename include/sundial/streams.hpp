#pragma once

#include "sundial/engine.hpp"
#include "sundial/recording.hpp"

/// The event store of an embedding program: `engine.streams()`. The declarations in
/// `sundial/recording.hpp` have the documentation; start with `Streams`.
namespace sundial {

using embedding::Appended;
using embedding::Checkpoint;
using embedding::EventMetadata;
using embedding::Expected;
using embedding::FeedFilter;
using embedding::FeedPage;
using embedding::Following;
using embedding::ListedStream;
using embedding::NewRecordedEvent;
using embedding::ParkedEvent;
using embedding::RecordedEvent;
using embedding::Snapshot;
using embedding::StreamId;
using embedding::StreamPage;
using embedding::StreamPart;
using embedding::StreamRange;
using embedding::Streams;
using embedding::Subscription;

}  // namespace sundial
