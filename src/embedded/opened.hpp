#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "embedded/storage.hpp"

namespace sundial::embedding {

/// A database adapter that provides these ports.
template <class Database>
class Opened final : public Storage {
public:
    explicit Opened(std::unique_ptr<Database> database) : database_(std::move(database)) {}
    Store& store() override { return database_->store(); }
    EventQueue& queue() override { return database_->queue(); }
    PullQueue& pull_queue() override { return database_->pull_queue(); }
    Clock& clock() override { return database_->clock(); }
    Feed& feed() override { return database_->feed(); }
    FeedMeter& feed_meter() override { return database_->feed_meter(); }
    Retention* retention() override { return &database_->retention(); }
    SqlRows run_sql(sundial::Transaction& tx, const std::string& statement,
                    std::span<const SqlValue> values) override {
        return database_->run_sql(tx, statement, values);
    }
    void join(pg_conn* callers, const std::function<bool(sundial::Transaction&)>& work) override {
        if constexpr (requires { database_->join(callers, work); }) {
            database_->join(callers, work);
        } else {
            Storage::join(callers, work);
        }
    }

private:
    std::unique_ptr<Database> database_;
};

}  // namespace sundial::embedding
