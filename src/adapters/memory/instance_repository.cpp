#include "application/ports/instance_repository.hpp"

#include <algorithm>
#include <memory>
#include <tuple>

#include "adapters/memory/ports.hpp"
#include "adapters/memory/state.hpp"
#include "adapters/memory/table.hpp"

namespace sundial::memory {
namespace {

class MemoryInstanceRepository final : public InstanceRepository {
public:
    explicit MemoryInstanceRepository(State& state) : instances_{state.instances} {}

    std::optional<Instant> report(const InstanceReport& report) override {
        const InstanceReport* before = instances_.find(report.id);
        if (before == nullptr) {
            instances_.insert(report.id, report);
            return report.drain_requested_at;
        }
        InstanceReport next = report;
        next.started_at = before->started_at;
        next.drain_requested_at = before->drain_requested_at;
        const auto requested = next.drain_requested_at;
        instances_.replace(report.id, std::move(next));
        return requested;
    }

    std::vector<InstanceReport> list() override {
        std::vector<InstanceReport> all;
        for (const auto& [id, report] : instances_.rows()) all.push_back(report);
        std::ranges::sort(all, {}, [](const InstanceReport& report) {
            return std::tuple{report.started_at, report.id};
        });
        if (all.size() > 1000) all.erase(all.begin() + 1000, all.end());
        return all;
    }
    std::optional<InstanceReport> find(InstanceId id) override {
        const InstanceReport* found = instances_.find(id);
        return found ? std::optional{*found} : std::nullopt;
    }

    bool request_drain(InstanceId id, Instant at) override {
        if (!instances_.find(id)) return false;
        instances_.change(id, [at](InstanceReport& report) {
            report.drain_requested_at = report.drain_requested_at.value_or(at);
        });
        return true;
    }
    void remove(InstanceId id) override {
        if (instances_.find(id)) instances_.erase(id);
    }
    void forget(Instant before) override {
        std::vector<InstanceId> old;
        for (const auto& [id, report] : instances_.rows()) {
            if (report.reported_at < before) old.push_back(id);
        }
        for (const InstanceId& id : old) instances_.erase(id);
    }

private:
    Table<InstanceId, InstanceReport>& instances_;
};

}  // namespace

std::unique_ptr<InstanceRepository> make_instance_repository(Session& session) {
    return std::make_unique<MemoryInstanceRepository>(session.state);
}

}  // namespace sundial::memory
