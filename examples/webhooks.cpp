// An engine that delivers signed webhooks itself, to a receiver in this program. The receiver's
// first answer is lost, so the request comes again: the receiver knows it by its `webhook-id`.
#include <iostream>
#include <set>
#include <string>
#include <sundial/engine.hpp>

#include "http.hpp"
#include "support.hpp"

namespace {

using namespace std::chrono_literals;

/// Takes one request at a time: the engine repeats the first before it sends another.
class Receiver {
public:
    [[nodiscard]] std::string answer_to(const std::string& request) {
        ++requests;
        if (header(request, "webhook-signature").empty()) ++unsigned_requests;
        if (known_.insert(header(request, "webhook-id")).second) ++booked;
        return response(requests == 1 ? "503 Service Unavailable" : "200 OK");
    }

    /// To be read after the deliveries.
    int requests = 0, unsigned_requests = 0, booked = 0;

private:
    std::set<std::string> known_;
};

}  // namespace

int main() {
    const TemporaryFolder folder;
    Receiver receiver;
    const HttpServer server{
        [&receiver](const std::string& request) { return receiver.answer_to(request); }};
    sundial::WebhookOptions webhooks;
    webhooks.key_file = folder.file("keys");
    webhooks.allow_private = true;  // this machine
    webhooks.ports = {server.port()};
    auto engine =
        sundial::Engine::open({.storage = "memory:", .test_clock = true, .webhooks = webhooks});
    require(bool{engine}, "the engine opens");
    sundial::NewEndpoint billing;
    billing.name = "billing";
    billing.url = "http://127.0.0.1:" + std::to_string(server.port()) + "/hook";
    require(bool{engine->put_endpoint(billing)}, "the endpoint is stored");
    const auto now = engine->now();
    require(bool{now}, "the storage has a clock");
    const auto invoice = engine->schedule({.type = "INVOICE",
                                           .at = *now + 1h,
                                           .payload = R"({"cents":1250})",
                                           .endpoint = "ext:billing"});
    require(bool{invoice}, "the event is scheduled");

    require(bool{engine->advance(2h)}, "the clock advances");
    const auto delivered = engine->find_event(invoice->id);
    require(delivered && delivered->status == "COMPLETED" && receiver.requests == 2,
            "the webhook was delivered at the second attempt");
    require(receiver.unsigned_requests == 0, "each request is signed");
    require(receiver.booked == 1, "the invoice was booked once");
    std::cout << receiver.requests << " requests, " << receiver.booked << " invoice\n";
}
