// Shared by the examples: a database in a temporary file, and many threads at once.
#pragma once

#include <sqlite3.h>

#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <variant>
#include <vector>

/// An example fails if it does not do what it demonstrates.
inline void require(bool holds, const char* what) {
    if (holds) return;
    std::cerr << "not so: " << what << '\n';
    std::exit(EXIT_FAILURE);
}

/// Runs `work(number)` on several threads that begin together.
template <class Work>
void in_parallel(int threads, Work work) {
    std::barrier all_are_there{threads};
    std::vector<std::jthread> running;
    for (int number = 0; number < threads; ++number) {
        running.emplace_back([&, number] {
            all_are_there.arrive_and_wait();
            work(number);
        });
    }
}

/// Gives the others every chance to come between: each who comes here stays until all have come, or
/// for a moment, for there may be a lock that lets only one come at a time.
class Crossing {
public:
    explicit Crossing(int all) : awaited_{all} {}
    void wait(std::chrono::milliseconds at_most) {
        std::unique_lock lock{mutex_};
        --awaited_;
        changed_.notify_all();
        changed_.wait_for(lock, at_most, [this] { return awaited_ <= 0; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int awaited_;
};

class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = std::filesystem::temp_directory_path() / "sundial-example-XXXXXX";
        if (!mkdtemp(name.data())) throw std::runtime_error{"no temporary folder"};
        path_ = name;
    }
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    [[nodiscard]] std::string file(const char* name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

/// One connection to an SQLite database, for one thread.
class Sqlite {
public:
    using Parameter = std::variant<long long, std::string>;
    struct Answer {
        int changed = 0;             // rows
        bool duplicate = false;      // refused by a unique constraint
        std::vector<long long> row;  // the first one, if any
    };

    explicit Sqlite(const std::string& file) {
        if (sqlite3_open(file.c_str(), &db_) != SQLITE_OK) fail();
        sqlite3_busy_timeout(db_, 60'000);
        run("PRAGMA journal_mode = WAL");
    }
    ~Sqlite() { sqlite3_close(db_); }
    Sqlite(const Sqlite&) = delete;
    Sqlite& operator=(const Sqlite&) = delete;

    Answer run(const char* sql, std::initializer_list<Parameter> parameters = {}) {
        sqlite3_stmt* statement = nullptr;
        if (sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr) != SQLITE_OK) fail();
        int place = 0;
        for (const Parameter& parameter : parameters) {
            ++place;
            if (const auto* number = std::get_if<long long>(&parameter)) {
                sqlite3_bind_int64(statement, place, *number);
            } else {
                sqlite3_bind_text(statement, place, std::get<std::string>(parameter).c_str(), -1,
                                  SQLITE_TRANSIENT);
            }
        }
        Answer answer;
        if (sqlite3_step(statement) == SQLITE_ROW) {
            for (int column = 0; column < sqlite3_column_count(statement); ++column) {
                answer.row.push_back(sqlite3_column_int64(statement, column));
            }
        }
        const int result = sqlite3_finalize(statement);
        answer.duplicate = result == SQLITE_CONSTRAINT;
        if (result != SQLITE_OK && !answer.duplicate) fail();
        answer.changed = answer.duplicate ? 0 : sqlite3_changes(db_);
        return answer;
    }

private:
    [[noreturn]] void fail() const { throw std::runtime_error{sqlite3_errmsg(db_)}; }
    sqlite3* db_ = nullptr;
};
