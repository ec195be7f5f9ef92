#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "adapters/postgres/wire.hpp"

namespace sundial::postgres {

/// One complete SQL statement. Each connection prepares it once, under its name.
struct Statement {
    enum class Plan : std::uint8_t {
        kept,  // prepared: planned once and reused
        fresh  // planned for the values of each call: lists with many optional filters
    };
    const char* name;
    const char* sql;
    Plan plan = Plan::kept;
};

/// The values of $1, $2, … in their binary form.
class Parameters {
public:
    template <class... Values>
    explicit Parameters(const Values&... values) {
        slots_.reserve(sizeof...(values));
        (add(values), ...);
    }

    struct Slot {
        Oid type;
        std::size_t offset;
        std::optional<std::size_t> length;  // empty: null
    };
    [[nodiscard]] const std::vector<Slot>& slots() const { return slots_; }
    [[nodiscard]] const char* bytes() const { return bytes_.data(); }

private:
    template <class T>
    void add(const T& value) {
        const std::size_t start = bytes_.size();
        Wire<T>::put(bytes_, value);
        slots_.push_back({Wire<T>::oid, start, bytes_.size() - start});
    }
    template <class T>
    void add(const std::optional<T>& value) {
        if (value) return add(*value);
        slots_.push_back({Wire<T>::oid, bytes_.size(), std::nullopt});
    }

    std::string bytes_;
    std::vector<Slot> slots_;
};

/// A statement with its parameters.
struct Call {
    template <class... Values>
    explicit Call(const Statement& which, const Values&... values)
        : statement{&which}, parameters{values...} {}

    const Statement* statement;
    Parameters parameters;
};

}  // namespace sundial::postgres
