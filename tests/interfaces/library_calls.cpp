// One call of the C++ library on a database, for conformance.py: library_calls STORAGE CALL
// ARGUMENTS...
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "sundial/engine.hpp"
#include "sundial/streams.hpp"

namespace {

using namespace std::chrono_literals;
using Arguments = std::vector<std::string>;

/// The value; ends the program with the error.
template <class T>
T value_of(sundial::Result<T> result) {
    if (result) return *std::move(result);
    std::cerr << result.error().code << ": " << result.error().detail << '\n';
    std::exit(1);
}

sundial::Event claimed(const Arguments& id_and_version) {
    sundial::Event event{};
    event.id = id_and_version.at(0);
    event.version = std::stoull(id_and_version.at(1));
    return event;
}

void show(const sundial::Event& event) { std::cout << event.id << ' ' << event.status << '\n'; }

void schedule(sundial::Engine& engine, const std::string& key, const std::string& user) {
    show(value_of(engine.schedule({.type = "ORDER",
                                   .at = value_of(engine.now()),
                                   .payload = R"({"order":1})",
                                   .user_id = user,
                                   .idempotency_key = key,
                                   .queue = "q"})));
}

void run(sundial::Engine& engine, const std::string& call, const Arguments& arguments) {
    auto worker = engine.worker("q", "w-1");
    if (call == "create_user") {
        value_of(engine.create_user({"Ada", "Li", "1992-02-29", "Europe/Paris", arguments.at(0)}));
    } else if (call == "delete_user") {
        value_of(engine.delete_user(arguments.at(0)));
    } else if (call == "schedule") {
        schedule(engine, arguments.at(0), arguments.at(1));
    } else if (call == "find_event") {
        const auto event = value_of(engine.find_event(arguments.at(0)));
        std::cout << event.idempotency_key << ' ' << event.status << '\n';
    } else if (call == "cancel") {
        value_of(engine.cancel(arguments.at(0)));
    } else if (call == "claim") {
        std::cout << value_of(worker.claim({.limit = 10, .lease = 30s})).size() << '\n';
    } else if (call == "complete") {
        value_of(worker.complete(claimed(arguments)));
    } else if (call == "fail") {
        value_of(worker.fail(claimed(arguments), "no stock"));
    } else if (call == "refuse") {
        value_of(worker.refuse(claimed(arguments), "no such order"));
    } else if (call == "release") {
        value_of(worker.release(claimed(arguments)));
    } else if (call == "extend") {
        value_of(worker.extend(claimed(arguments), 1min));
    } else if (call == "append") {
        value_of(engine.streams().append({"Order", "1"}, sundial::Expected::no_stream(),
                                         {{.type = "Placed", .data = R"({"sum":5})"}}));
    } else {
        std::cerr << "no such call: " << call << '\n';
        std::exit(2);
    }
}

}  // namespace

int main(int count, char** texts) {
    const Arguments all(texts + 1, texts + count);
    auto engine = value_of(sundial::Engine::open({.storage = all.at(0), .test_clock = true}));
    run(engine, all.at(1), {all.begin() + 2, all.end()});
    return 0;
}
