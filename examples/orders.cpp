// Event-sourced orders: commands decide by an order's history and append to it while other clients
// do the same, and a view of all orders is built from the feed. Name a file or a server as the
// storage to keep the orders between runs.
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <string>
#include <sundial/aggregate.hpp>
#include <variant>
#include <vector>

#include "support.hpp"

namespace {

using namespace std::chrono_literals;
using sundial::Error;
using sundial::Result;

struct ItemsAdded {
    int count;
};
struct Shipped {};

struct Order {
    using Event = std::variant<ItemsAdded, Shipped>;
    static constexpr const char* type = "Order";

    static sundial::NewRecordedEvent record(const Event& event) {
        if (const auto* added = std::get_if<ItemsAdded>(&event)) {
            return {.type = "ItemsAdded", .data = std::to_string(added->count)};
        }
        return {.type = "OrderShipped"};
    }
    static std::optional<Event> recall(const sundial::RecordedEvent& event) {
        if (event.type == "ItemsAdded") return ItemsAdded{std::stoi(event.data)};
        if (event.type == "OrderShipped") return Shipped{};
        return std::nullopt;
    }
    void apply(const Event& event) {
        if (const auto* added = std::get_if<ItemsAdded>(&event)) items += added->count;
        if (std::holds_alternative<Shipped>(event)) shipped = true;
    }

    int items = 0;
    bool shipped = false;
};

using Decision = Result<std::vector<Order::Event>>;

Decision add_one(const Order& order) {
    if (order.shipped) return Error{"TOO_LATE", "it is on its way"};
    return std::vector<Order::Event>{ItemsAdded{1}};
}
Decision ship(const Order& order) {
    if (order.shipped) return std::vector<Order::Event>{};  // shipping twice has no effect
    if (order.items == 0) return Error{"EMPTY", "there is nothing to send"};
    return std::vector<Order::Event>{Shipped{}};
}

int report(const Error& error) {
    std::cerr << error.code << ": " << error.detail << '\n';
    return EXIT_FAILURE;
}

}  // namespace

int main() {
    auto engine = sundial::Engine::open({.storage = "memory:"});
    if (!engine) return report(engine.error());
    auto streams = engine->streams();
    sundial::AggregateRepository<Order> orders{streams};

    const auto refused = orders.execute("17", ship);
    require(!refused && refused.error().code == "EMPTY", "an order without items is not sent");

    // Two clients loaded the same version: the second one's events are refused.
    if (const auto first = orders.execute("17", add_one); !first) return report(first.error());
    auto one = orders.load("17"), other = orders.load("17");
    require(one && other, "both callers have loaded it");
    one->raise(ItemsAdded{2});
    other->raise(Shipped{});
    if (const auto saved = orders.save(*one); !saved) return report(saved.error());
    const auto late = orders.save(*other);
    require(!late && late.error().code == "OPTIMISTIC_LOCK", "the second of two is refused");
    std::cout << "too late: " << late.error().detail << '\n';

    // A command is given to the order as it is by then, again and again if need be: three times by
    // default, and more often where so many want the same order at once.
    std::atomic<int> failed = 0;
    Crossing crossing{8};
    in_parallel(8, [&](int) {
        const auto add_one_more = [&](const Order& order) {
            crossing.wait(1s);  // so that all decide by the same order at first
            return add_one(order);
        };
        if (!orders.execute("17", add_one_more, {.retry = {.max_attempts = 100}})) ++failed;
    });
    require(failed == 0, "each caller decides again after a conflict");
    if (const auto sent = orders.execute("17", ship); !sent) return report(sent.error());

    // Shipments from the feed: each order once, however often this program dies.
    int sent = 0;
    auto view = streams.follow({.name = "sent-orders", .filter = {.event_types = {"OrderShipped"}}},
                               [&](const sundial::RecordedEvent& event) -> Result<sundial::Done> {
                                   ++sent;
                                   std::cout << "order " << event.stream.id << " was sent\n";
                                   return sundial::Done{};
                               });
    if (const auto read = view.catch_up(); !read) return report(read.error());

    const auto order = orders.load("17");
    if (!order) return report(order.error());
    std::cout << order->state.items << " items, version " << order->version << '\n';
    require(order->state.items == 11, "each item was added once");
    require(order->state.shipped && sent == 1, "it was sent once");
}
