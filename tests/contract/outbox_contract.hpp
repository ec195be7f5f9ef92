#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "application/ports/outbox.hpp"

namespace sundial {

/// An application's database with an empty table `sundial_outbox`, as the guide defines it.
class ApplicationDatabase {
public:
    virtual ~ApplicationDatabase() = default;
    /// Sundial's side.
    virtual Outbox& outbox() = 0;
    /// Runs statements as the application.
    virtual void run(const std::string& sql) = 0;
    /// Begins a transaction on a connection of its own; the result commits it.
    virtual std::function<void()> begin(const std::string& sql) = 0;
};

/// For INSTANTIATE_TEST_SUITE_P.
struct ApplicationDatabaseKind {
    std::string name;
    std::function<std::unique_ptr<ApplicationDatabase>()> open;
    friend void PrintTo(const ApplicationDatabaseKind& kind, std::ostream* out) {
        *out << kind.name;
    }
};

/// Tables of other programs: an Outbox.
class OutboxContract : public testing::TestWithParam<ApplicationDatabaseKind> {
protected:
    ApplicationDatabase& application() { return *application_; }
    Outbox& outbox() { return application_->outbox(); }

private:
    std::unique_ptr<ApplicationDatabase> application_ = GetParam().open();
};

}  // namespace sundial
