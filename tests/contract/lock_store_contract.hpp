#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include "application/ports/lock_store.hpp"
#include "contract/storage.hpp"

namespace sundial {

/// One LockStore under test. Initially no lock is held.
class LockStorage {
public:
    virtual ~LockStorage() = default;
    virtual LockStore& locks() = 0;
    /// Simulates the passage of time at the store.
    virtual void advance(std::chrono::microseconds by) = 0;
};

/// An adapter, for INSTANTIATE_TEST_SUITE_P: every storage can keep locks as rows.
struct LockStorageKind {
    std::string name;
    std::function<std::unique_ptr<LockStorage>()> open;
    LockStorageKind(std::string its_name, std::function<std::unique_ptr<LockStorage>()> opens)
        : name{std::move(its_name)}, open{std::move(opens)} {}
    explicit LockStorageKind(const StorageKind& kind);
    friend void PrintTo(const LockStorageKind& kind, std::ostream* out) { *out << kind.name; }
};

/// A token's hash: `letter`, 32 times.
[[nodiscard]] inline std::string hash_of(char letter) { return std::string(32, letter); }

/// Grants, renewals and releases, for locks in rows and on a lock server (LK01 to LK09).
class LockStoreContract : public testing::TestWithParam<LockStorageKind> {
protected:
    LockStore& locks() { return storage_->locks(); }
    void advance(std::chrono::microseconds by) { storage_->advance(by); }
    /// `who` requests the lock "job" for 30 seconds, with a token hash made of that letter.
    Result<LockGrant, LockHeld> acquire(char who, FencingToken floor = FencingToken{0}) {
        return locks().acquire({.name = "job",
                                .holder = std::string{"holder-"} + who,
                                .token_hash = hash_of(who),
                                .ttl = 30s,
                                .floor = floor});
    }
    Result<LockGrant, LockNotHeld, LockLeaseLost> renew(char who,
                                                        std::chrono::microseconds ttl = 30s) {
        return locks().renew("job", hash_of(who), ttl);
    }
    Result<void, LockNotHeld> release(char who) { return locks().release("job", hash_of(who)); }

private:
    std::unique_ptr<LockStorage> storage_ = GetParam().open();
};

/// Locks in transactions: guards for locks in rows, fences for locks kept elsewhere.
class LockGuardContract : public StorageTest {};

}  // namespace sundial
