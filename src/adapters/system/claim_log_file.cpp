#include "adapters/system/claim_log_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string_view>

#include "application/ports/failures.hpp"
#include "base/json.hpp"
#include "domain/time/text.hpp"

namespace sundial::system {
namespace {

std::int64_t nanoseconds(clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

constexpr std::array<std::string_view, 7> op_names{"claim",   "send",      "extend", "settle",
                                                   "release", "heartbeat", "update"};
constexpr std::array<std::string_view, 4> answer_names{"invoke", "ok", "fail", "info"};

struct ResultName {
    std::string_view operator()(const Accepted&) const { return "COMPLETED"; }
    std::string_view operator()(const RetryIn&) const { return "RETRY"; }
    std::string_view operator()(const Refused&) const { return "FAILED"; }
};

/// The common start of every line.
base::JsonWriter line_of(std::string_view source, std::string_view type, std::string_view op) {
    base::JsonWriter json;
    json.begin_object()
        .member("t", nanoseconds(CLOCK_REALTIME))
        .member("mono", nanoseconds(CLOCK_MONOTONIC))
        .member("src", source)
        .member("type", type)
        .member("op", op);
    return json;
}

std::string text_of(const ClaimStep& step, std::string_view source) {
    auto json = line_of(source, answer_names.at(static_cast<std::size_t>(step.answer)),
                        op_names.at(static_cast<std::size_t>(step.op)));
    if (step.answer != ClaimStep::Answer::begun) {
        json.member("took", std::chrono::nanoseconds(step.took).count());
    }
    if (step.id) json.member("id", base::to_string(step.id->value));
    if (step.event != nullptr) {
        json.member("key", step.event->key.value);
        json.member("target", format_instant(target_of(*step.event)));
    }
    if (step.attempt) json.member("attempt", step.attempt->value);
    if (step.version) json.member("version", step.version->value);
    if (step.settlement != nullptr) {
        json.member("result", std::visit(ResultName{}, step.settlement->result));
        json.member("status", step.settlement->status_code);
    }
    if (step.previous_lost) json.member("rescued", true);
    return std::move(json.end_object()).text() + '\n';
}

}  // namespace

ClaimLogFile::ClaimLogFile(const std::string& file, InstanceId instance, base::Log& log)
    : file_(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640)),
      source_("instance:" + base::to_string(instance.value)),
      log_(log) {
    if (file_ < 0) {
        throw CannotStart("log.claims: cannot write " + file + ": " + std::strerror(errno));
    }
    auto start = line_of(source_, "info", "start");
    append(std::move(start.member("pid", ::getpid()).end_object()).text() + '\n');
}

ClaimLogFile::~ClaimLogFile() {
    append(std::move(line_of(source_, "info", "stop").end_object()).text() + '\n');
    ::close(file_);
}

void ClaimLogFile::write(std::span<const ClaimStep> steps) {
    std::string text;
    for (const ClaimStep& step : steps) text += text_of(step, source_);
    append(text);
}

void ClaimLogFile::append(const std::string& text) {
    std::string_view left = text;
    while (!left.empty()) {
        const ssize_t written = ::write(file_, left.data(), left.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            if (failed_.exchange(true)) return;
            log_.write({.level = base::LogLevel::warn,
                        .event_name = {},
                        .message = std::string("the claim log is incomplete from here on: ") +
                                   std::strerror(errno),
                        .correlation_id = {},
                        .fields = {}});
            return;
        }
        left.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace sundial::system
