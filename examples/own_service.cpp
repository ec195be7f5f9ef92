// An HTTP service of the program's own whose requests can be repeated: ten clicks on "pay" send the
// same `Idempotency-Key`. One of them pays and schedules the receipt, in one transaction, and all
// get its answer.
#include <atomic>
#include <iostream>
#include <mutex>
#include <set>
#include <string>
#include <sundial/codes.hpp>
#include <sundial/engine.hpp>
#include <thread>

#include "http.hpp"
#include "support.hpp"

namespace {

using namespace std::chrono_literals;

std::string problem(const std::string& status, const std::string& code) {
    return response(status, "Content-Type: application/problem+json\r\n",
                    R"({"code":")" + code + "\"}");
}

/// POST /payments: the body is the amount in cents.
class Payments {
public:
    explicit Payments(sundial::Engine& engine) : engine_{engine} {}

    [[nodiscard]] std::string answer_to(const std::string& request) {
        ++requests;
        if (!request.starts_with("POST /payments ")) return problem("404 Not Found", "NO_ROUTE");
        const std::string key = header(request, "idempotency-key");
        const std::string cents = body_of(request);
        const auto done = engine_.transact([&](sundial::Transaction& tx) {
            return tx.once(key, cents, [&](sundial::Transaction& own) { return pay(own, cents); });
        });
        if (!done) return refusal(done.error());
        return response("201 Created",
                        done->replayed ? "Idempotency-Replayed: true\r\n" : std::string{},
                        done->answer);
    }

    std::atomic<int> requests = 0;

private:
    static sundial::Result<std::string> pay(sundial::Transaction& tx, const std::string& cents) {
        const auto row = tx.sql("INSERT INTO payments (cents) VALUES ($1) RETURNING id", cents);
        if (!row) return row.error();
        const auto now = tx.now();
        if (!now) return now.error();
        const auto receipt = tx.schedule({.type = "RECEIPT", .at = *now + 1h, .payload = cents});
        if (!receipt) return receipt.error();
        return "payment " + row->text(0, 0).value_or("");
    }
    static std::string refusal(const sundial::Error& error) {
        switch (sundial::to_code(error)) {
            case sundial::Code::validation_failed:  // no key
                return problem("400 Bad Request", error.code);
            case sundial::Code::idempotency_in_progress:
                return problem("409 Conflict", error.code);
            case sundial::Code::idempotency_key_reused:
                return problem("422 Unprocessable Content", error.code);
            default:
                return problem("503 Service Unavailable", error.code);
        }
    }

    sundial::Engine& engine_;
};

std::string payment(const std::string& key, const std::string& cents) {
    const std::string header = key.empty() ? key : "Idempotency-Key: " + key + "\r\n";
    return "POST /payments HTTP/1.1\r\nHost: shop.example\r\n" + header +
           "Content-Length: " + std::to_string(cents.size()) + "\r\n\r\n" + cents;
}

/// Repeats the request while another one with its key is under way.
std::string answer_after(std::uint16_t port, const std::string& request) {
    for (;;) {
        std::string answer = send_request(port, request);
        if (!answer.starts_with("HTTP/1.1 409 ")) return answer;
        std::this_thread::yield();
    }
}

}  // namespace

int main(int argc, char** argv) {
    const TemporaryFolder folder;
    const std::string storage = argc > 1 ? argv[1] : "sqlite:" + folder.file("shop.db");
    auto engine = sundial::Engine::open({.storage = storage, .test_clock = true});
    require(bool{engine}, "the engine opens");
    std::atomic<int> receipts = 0;
    engine->on("RECEIPT", [&](const sundial::Event&) {
        ++receipts;
        return sundial::Handled::done();
    });
    const std::string id = argc > 1 ? "id SERIAL PRIMARY KEY" : "id INTEGER PRIMARY KEY";
    const auto created = engine->transact([&](sundial::Transaction& tx) {
        return tx.sql("CREATE TABLE payments (" + id + ", cents TEXT NOT NULL)");
    });
    require(bool{created}, "the program has a table of its own");

    Payments payments{*engine};
    const HttpServer server{
        [&payments](const std::string& request) { return payments.answer_to(request); }};
    std::mutex mutex;
    std::set<std::string> bodies;
    int replayed = 0;
    in_parallel(10, [&](int) {
        const std::string answer = answer_after(server.port(), payment("click-7f3a", "1250"));
        const std::lock_guard lock{mutex};
        bodies.insert(body_of(answer));
        if (!header(answer, "idempotency-replayed").empty()) ++replayed;
    });
    require(bodies == std::set<std::string>{"payment 1"} && replayed == 9,
            "each click has the answer of the one payment");
    require(send_request(server.port(), payment("click-7f3a", "9900")).starts_with("HTTP/1.1 422 "),
            "another request under the same key is refused");
    require(send_request(server.port(), payment("", "1250")).starts_with("HTTP/1.1 400 "),
            "a request without a key is refused");
    require(send_request(server.port(), payment("click-8b1c", "300")).ends_with("payment 2"),
            "another key is another payment");
    require(bool{engine->advance(2h)} && receipts == 2, "each payment has its receipt, once");
    std::cout << payments.requests << " requests, 2 payments, " << receipts << " receipts\n";
}
