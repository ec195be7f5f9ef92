#include "adapters/sqlite/readers.hpp"

#include <chrono>

#include "adapters/sqlite/database_file.hpp"
#include "adapters/sqlite/time.hpp"
#include "adapters/sqlite/transaction_sql.hpp"
#include "application/ports/store.hpp"

namespace sundial::sqlite {
namespace {

using namespace std::chrono_literals;

constexpr auto reader_wait_limit = 5s;  // maximum wait for a free reader

/// A read transaction that ends with its scope.
class Snapshot {
public:
    explicit Snapshot(Connection& reader) : reader_{reader} { reader_.execute(sql::begin_read); }
    ~Snapshot() { reader_.roll_back(); }
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;

private:
    Connection& reader_;
};

}  // namespace

Readers::Readers(const std::filesystem::path& file, std::size_t count, Time& time, Health& health)
    : time_{time}, health_{health} {
    for (std::size_t i = 0; i < count; ++i) {
        readers_.push_back(std::make_unique<Connection>(file, Connection::Role::reader));
        readers_.back()->report_to(health);
        free_.push_back(readers_.back().get());
    }
}

void Readers::run(const std::function<void(Session&)>& work) {
    health_.check();
    Connection& reader = take();
    const std::unique_ptr<Connection, std::function<void(Connection*)>> until_done{
        &reader, [this](Connection* used) { release(*used); }};
    const Snapshot snapshot{reader};
    Session session{reader, time_.now()};
    work(session);
}

Connection& Readers::take() {
    const bool may_take_all = SchedulerScope::is_open() || readers_.size() == 1;
    const std::size_t left = may_take_all ? 0 : 1;
    std::unique_lock lock{mutex_};
    if (!free_again_.wait_for(lock, reader_wait_limit, [&] { return free_.size() > left; })) {
        throw Unavailable{"all reading connections are busy"};
    }
    Connection* reader = free_.back();
    free_.pop_back();
    return *reader;
}

void Readers::release(Connection& reader) {
    {
        const std::lock_guard lock{mutex_};
        free_.push_back(&reader);
    }
    free_again_.notify_all();  // not every waiting thread may take it
}

}  // namespace sundial::sqlite
