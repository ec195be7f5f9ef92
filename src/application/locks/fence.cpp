#include "application/locks/fence.hpp"

namespace sundial {
namespace {

Result<void> keep(Transaction& tx, const Result<Lock>& fence) {
    if (!fence) return fence.error();
    tx.locks().update(*fence);
    return {};
}

}  // namespace

FencingToken greatest_seen(Store& store, const std::string& name) {
    const auto fence = in_read(store, [&](Transaction& tx) { return tx.locks().find(name); });
    return fence ? fence->fencing_token : FencingToken{0};
}

Result<void> raise_fence(Transaction& tx, const std::string& name, FencingToken granted) {
    return keep(tx, raise(tx.locks().lock(name), granted));
}

Result<void> pass_fence(Transaction& tx, const std::string& name, FencingToken token) {
    return keep(tx, pass(tx.locks().lock(name), token));
}

}  // namespace sundial
