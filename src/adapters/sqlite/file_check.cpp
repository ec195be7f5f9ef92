#include "adapters/sqlite/file_check.hpp"

#include <chrono>
#include <string>
#include <utility>

#include "adapters/sqlite/health.hpp"
#include "adapters/sqlite/statements.hpp"

namespace sundial::sqlite {

using namespace std::chrono_literals;

FileCheck::FileCheck(const std::filesystem::path& file, Health& health, base::Log& log)
    : reader_{file, Connection::Role::reader}, health_{health}, log_{log} {
    reader_.report_to(health);
    thread_ = std::thread{[this] {
        run();
        done_.set_value();
    }};
}

FileCheck::~FileCheck() {
    stopping_ = true;
    // An interrupt only affects a running statement, so repeat it until the check ends.
    const auto done = done_.get_future();
    do reader_.interrupt();
    while (done.wait_for(10ms) != std::future_status::ready);
    thread_.join();
}

void FileCheck::run() {
    const auto say = [&](base::LogLevel level, std::string text) {
        log_.write({.level = level,
                    .event_name = {},
                    .message = std::move(text),
                    .correlation_id = {},
                    .fields = {}});
    };
    say(base::LogLevel::info, "the database file was not closed properly; checking it");
    try {
        auto finding = reader_.query(sql::quick_check);
        const bool found = finding.next();
        const auto text = found ? finding.get<std::string>(0) : std::string{"no answer"};
        if (text != "ok") return health_.broken("quick_check: " + text);
        say(base::LogLevel::info, "the database file is intact");
    } catch (const std::exception& error) {
        // Health has been informed if the file is the cause.
        if (!stopping_) say(base::LogLevel::warn, std::string{"the check failed: "} + error.what());
    }
}

}  // namespace sundial::sqlite
