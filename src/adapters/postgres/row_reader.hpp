#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "adapters/postgres/answer.hpp"
#include "application/ports/failures.hpp"
#include "domain/event.hpp"

/// Shared by all row readers (rows.hpp).
namespace sundial::postgres {

/// Reads values by column name. Looks up each name once per answer.
class Reader {
public:
    explicit Reader(const Answer& rows) : rows_{rows} {}

    /// The column `name`, which must exist.
    [[nodiscard]] int column(const char* name) const {
        const auto found = rows_.column(name);
        if (!found) throw Corrupt{std::string{"PostgreSQL sent no column "} + name};
        return *found;
    }
    template <class Make>
    [[nodiscard]] auto each(Make make) const {
        std::vector<std::invoke_result_t<Make&, std::size_t>> values;
        values.reserve(rows_.size());
        for (std::size_t row = 0; row < rows_.size(); ++row) values.push_back(make(row));
        return values;
    }

private:
    const Answer& rows_;
};

/// Parses a text that must be one of our names.
template <class Parse>
auto read_name(Parse parse, const std::string& text) {
    auto value = parse(text);
    if (!value) throw Corrupt{"PostgreSQL holds '" + text + "', which this program does not know"};
    return *value;
}

inline Priority priority_of(std::int16_t number) {
    if (number < 0 || number > 3) {
        throw Corrupt{"PostgreSQL holds priority " + std::to_string(number)};
    }
    return static_cast<Priority>(number);
}

}  // namespace sundial::postgres
