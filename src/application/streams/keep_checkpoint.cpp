#include "application/streams/keep_checkpoint.hpp"

#include <array>

namespace sundial {
namespace {

/// Event ids survive all changes of their streams. So if one is missing, the store has a different
/// history.
StreamResult<void> judge_past(Transaction& tx, std::uint64_t position,
                              const std::optional<Uuid>& event_id) {
    if (!event_id) return {};
    const auto known = tx.streams().known(std::array{*event_id});
    if (known.size() == 1 && known.front().position == position) return {};
    return FeedDiverged{position, *event_id};
}

}  // namespace

StreamResult<Checkpoint> KeepCheckpoint::find(const std::string& name) {
    if (auto errors = defects_of_checkpoint_name(name); !errors.empty()) {
        return ValidationFailed{std::move(errors)};
    }
    return in_read(store_, [&](Transaction& tx) { return tx.checkpoints().find(name); });
}

StreamResult<Checkpoint> KeepCheckpoint::save(const std::string& name, const CheckpointStep& step) {
    return in_transaction(store_, [&](Transaction& tx) { return save(tx, name, step); });
}

StreamResult<Checkpoint> KeepCheckpoint::save(Transaction& tx, const std::string& name,
                                              const CheckpointStep& step) {
    if (auto errors = defects_of_checkpoint_name(name); !errors.empty()) {
        return ValidationFailed{std::move(errors)};
    }
    auto advanced = advance(tx.checkpoints().lock(name), name, step);
    if (!advanced) return advanced;
    if (auto judged = judge_past(tx, step.position, step.event_id); !judged) return judged.error();
    tx.checkpoints().put(name, *advanced);
    return advanced;
}

StreamResult<Checkpoint> KeepCheckpoint::hold(const std::string& name, const std::string& holder,
                                              std::chrono::microseconds lasting) {
    if (auto errors = defects_of_checkpoint_name(name); !errors.empty()) {
        return ValidationFailed{std::move(errors)};
    }
    return in_transaction(store_, [&](Transaction& tx) -> StreamResult<Checkpoint> {
        const Checkpoint before = tx.checkpoints().lock(name);
        const Checkpoint held = sundial::hold(before, holder, tx.now(), lasting);
        if (held == before) return held;  // another holder has it
        if (auto judged = judge_past(tx, held.position, held.event_id); !judged) {
            return judged.error();
        }
        tx.checkpoints().put(name, held);
        return held;
    });
}

void KeepCheckpoint::release(const std::string& name, std::uint64_t fencing_token) {
    store_.transact([&](Transaction& tx) {
        const Checkpoint before = tx.checkpoints().lock(name);
        const Checkpoint after = sundial::release(before, fencing_token, tx.now());
        if (after == before) return false;
        tx.checkpoints().put(name, after);
        return true;
    });
}

}  // namespace sundial
