#pragma once

#include "application/ports/pull_queue.hpp"

namespace sundial::sqlite {

class Readers;
class Writer;

/// Thread-safe.
class SqlitePullQueue final : public PullQueue {
public:
    SqlitePullQueue(Writer& writer, Readers& readers) : writer_{writer}, readers_{readers} {}
    PullPeek peek(std::span<const EndpointId> endpoints) override;
    Claimed claim(const PullRequest& request) override;
    std::uint32_t held(EndpointId endpoint) override;

private:
    Writer& writer_;
    Readers& readers_;
};

}  // namespace sundial::sqlite
