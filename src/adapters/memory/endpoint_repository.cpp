#include "application/ports/endpoint_repository.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "adapters/memory/ports.hpp"
#include "adapters/memory/state.hpp"
#include "adapters/memory/table.hpp"

namespace sundial::memory {
namespace {

class MemoryEndpointRepository final : public EndpointRepository {
public:
    explicit MemoryEndpointRepository(Session& session)
        : session_{session}, endpoints_{session.state.endpoints} {}

    Result<void, DuplicateExternalId> add(const Endpoint& endpoint) override {
        auto free = external_id_is_free(endpoints_, endpoint, Noun::endpoint);
        if (free) endpoints_.insert(endpoint.id, endpoint);
        return free;
    }

    std::optional<Endpoint> find(EndpointId id) override {
        const Endpoint* endpoint = endpoints_.find(id);
        return endpoint ? std::optional{*endpoint} : std::nullopt;
    }
    std::vector<Endpoint> find_all(std::span<const EndpointId> ids) override {
        return those_of(endpoints_, ids);
    }
    std::optional<EndpointId> id_of(std::string_view external_id) override {
        return memory::id_of(endpoints_, external_id);
    }
    std::map<std::string, EndpointId> ids_of(std::span<const std::string> external_ids) override {
        return memory::ids_of(endpoints_, external_ids);
    }
    std::vector<Endpoint> share(std::span<const EndpointId> ids) override { return find_all(ids); }
    std::vector<Endpoint> try_share(std::span<const EndpointId> ids) override {
        return find_all(ids);
    }
    std::optional<Endpoint> lock(EndpointId id) override { return find(id); }
    std::optional<Endpoint> lock_to_remove(EndpointId id) override { return find(id); }

    Result<void, DuplicateExternalId> update(const Endpoint& endpoint) override {
        auto free = external_id_is_free(endpoints_, endpoint, Noun::endpoint);
        if (free) endpoints_.replace(endpoint.id, endpoint);
        return free;
    }

    void remove(EndpointId id) override {
        endpoints_.erase(id);
        State& state = session_.state;
        if (state.circuits.find(id)) state.circuits.erase(id);
        if (state.limits.find(id)) state.limits.erase(id);
        make_inbox_repository(session_)->clear(id);
    }

    Page<Endpoint> list(const EndpointQuery& query) override {
        std::vector<Endpoint> endpoints;
        for (const auto& [id, endpoint] : endpoints_.rows()) {
            if (is(query.type, endpoint.type) && is(query.enabled, endpoint.enabled) &&
                any_starts(query.prefix,
                           {to_string(id), endpoint.name, endpoint.external_id.value_or("")})) {
                endpoints.push_back(endpoint);
            }
        }
        return page_of<std::int64_t>(
            std::move(endpoints), query.page,
            [](const Endpoint& endpoint) { return microseconds_of(endpoint.created_at); });
    }

private:
    Session& session_;
    Table<EndpointId, Endpoint>& endpoints_;
};

}  // namespace

std::unique_ptr<EndpointRepository> make_endpoint_repository(Session& session) {
    return std::make_unique<MemoryEndpointRepository>(session);
}

namespace {

class MemoryCircuitRepository final : public CircuitRepository {
public:
    explicit MemoryCircuitRepository(State& state) : circuits_{state.circuits} {}

    std::vector<Circuit> find_all(std::span<const EndpointId> endpoints) override {
        std::vector<Circuit> found;
        for (const auto& [endpoint, circuit] : circuits_.rows()) {
            if (std::ranges::find(endpoints, endpoint) != endpoints.end()) found.push_back(circuit);
        }
        return found;
    }

    Circuit lock(EndpointId endpoint) override {
        const Circuit* circuit = circuits_.find(endpoint);
        return circuit ? *circuit : Circuit{.endpoint = endpoint};
    }
    void put(const Circuit& circuit) override {
        if (!circuits_.find(circuit.endpoint)) return circuits_.insert(circuit.endpoint, circuit);
        circuits_.replace(circuit.endpoint, circuit);
    }

    std::vector<Circuit> list(std::size_t limit) override {
        std::vector<Circuit> found;
        for (const bool is_closed : {false, true}) {
            for (const auto& [endpoint, circuit] : circuits_.rows()) {
                const bool matches = (circuit.state == CircuitState::closed) == is_closed;
                if (matches && found.size() < limit) found.push_back(circuit);
            }
        }
        return found;
    }

private:
    Table<EndpointId, Circuit>& circuits_;
};

}  // namespace

std::unique_ptr<CircuitRepository> make_circuit_repository(Session& session) {
    return std::make_unique<MemoryCircuitRepository>(session.state);
}

namespace {

class MemoryLimitRepository final : public LimitRepository {
public:
    explicit MemoryLimitRepository(State& state) : limits_{state.limits} {}
    Limits lock(EndpointId endpoint) override {
        const Limits* limits = limits_.find(endpoint);
        return limits ? *limits : Limits{.endpoint = endpoint};
    }

    void put(const Limits& limits) override {
        Limits row = limits;
        std::ranges::sort(row.leases, {}, &SlotLease::by);
        if (!limits_.find(limits.endpoint)) return limits_.insert(limits.endpoint, std::move(row));
        limits_.replace(limits.endpoint, std::move(row));
    }

private:
    Table<EndpointId, Limits>& limits_;
};

}  // namespace

std::unique_ptr<LimitRepository> make_limit_repository(Session& session) {
    return std::make_unique<MemoryLimitRepository>(session.state);
}

namespace {

constexpr std::size_t kept = 10'000;  // per endpoint, as the port says

/// The bounds of all keys of the endpoint.
InboxKey first_key(EndpointId endpoint) { return {endpoint, Uuid{}}; }
InboxKey last_key(EndpointId endpoint) {
    Uuid last;
    last.bytes.fill(0xff);
    return {endpoint, last};
}

class MemoryInboxRepository final : public InboxRepository {
public:
    explicit MemoryInboxRepository(State& state) : inbox_{state.inbox}, sizes_{state.inbox_sizes} {}

    void add(const InboxRequest& request) override {
        inbox_.insert({request.endpoint, request.id}, request);
        const std::size_t* size = sizes_.find(request.endpoint);
        if (!size) {
            sizes_.insert(request.endpoint, 1);
        } else if (*size < kept) {
            sizes_.replace(request.endpoint, *size + 1);
        } else {
            inbox_.erase(InboxKey{inbox_.rows().lower_bound(first_key(request.endpoint))->first});
        }
    }

    Page<InboxRequest> list(EndpointId endpoint, const PageRequest& page) override {
        const auto& rows = inbox_.rows();
        const auto oldest = rows.lower_bound(first_key(endpoint));
        auto row = page.after ? rows.lower_bound({endpoint, page.after->id})
                              : rows.upper_bound(last_key(endpoint));
        Page<InboxRequest> found;
        while (row != oldest && found.items.size() < page.limit) {
            found.items.push_back((--row)->second);
        }
        found.has_more = row != oldest;
        return found;
    }

    void clear(EndpointId endpoint) override {
        const auto& rows = inbox_.rows();
        for (auto row = rows.lower_bound(first_key(endpoint));
             row != rows.end() && row->first.endpoint == endpoint;) {
            inbox_.erase(InboxKey{(row++)->first});
        }
        if (sizes_.find(endpoint)) sizes_.erase(endpoint);
    }

private:
    using Rows = Table<InboxKey, InboxRequest>;

    Rows& inbox_;
    Table<EndpointId, std::size_t>& sizes_;
};

}  // namespace

std::unique_ptr<InboxRepository> make_inbox_repository(Session& session) {
    return std::make_unique<MemoryInboxRepository>(session.state);
}

}  // namespace sundial::memory
