// Handlers that get a type of the program's own instead of JSON, and that put work off: messages
// wait until the office opens, without using up an attempt.
#include <iostream>
#include <optional>
#include <string>
#include <sundial/engine.hpp>

#include "support.hpp"

namespace {

using namespace std::chrono_literals;

struct Message {
    std::string to;

    static constexpr const char* type = "MESSAGE";
    /// "to:ada". In production this is where the JSON library of your choice comes in.
    static std::optional<Message> parse(const std::string& payload) {
        const std::string head = "\"to:";
        if (!payload.starts_with(head) || !payload.ends_with('"')) return std::nullopt;
        return Message{payload.substr(head.size(), payload.size() - head.size() - 1)};
    }
};

}  // namespace

int main() {
    auto engine = sundial::Engine::open({.storage = "memory:", .test_clock = true});
    require(bool{engine}, "the engine opens");
    const auto now = engine->now();
    require(bool{now}, "the storage has a clock");
    const sundial::Instant opens = *now + 8h;

    std::optional<sundial::Instant> sent_at;
    engine->on<Message>([&](const Message& message, const sundial::Event&) {
        const auto time = engine->now();
        if (!time) return sundial::Handled::retry(time.error().detail);
        if (*time < opens) return sundial::Handled::snooze(opens);
        std::cout << "sent to " << message.to << '\n';
        sent_at = *time;
        return sundial::Handled::done();
    });
    const auto good =
        engine->schedule({.type = "MESSAGE", .at = *now + 1h, .payload = R"("to:ada")"});
    const auto bad = engine->schedule({.type = "MESSAGE", .at = *now + 1h, .payload = R"("ada")"});
    require(good && bad, "both are scheduled");

    require(bool{engine->advance(24h)}, "the clock advances");
    const auto sent = engine->find_event(good->id);
    require(sent && sent->status == "COMPLETED" && sent_at >= opens,
            "the message is sent when the office is open");
    require(sent->retry_count == 0 && *sent_at < opens + 1s,
            "it is sent as soon as the office opens, and no attempt failed");
    const auto refused = engine->find_event(bad->id);
    require(refused && refused->status == "FAILED" && refused->attempt == 1,
            "a payload of another type is refused at once");
}
