#include "adapters/postgres/answer.hpp"

#include <libpq-fe.h>

#include <charconv>
#include <string>

namespace sundial::postgres {

Answer::Answer(pg_result* result) : result_{result} {}

void Answer::Clear::operator()(pg_result* result) const { PQclear(result); }

std::size_t Answer::size() const { return static_cast<std::size_t>(PQntuples(result_.get())); }

std::size_t Answer::changed() const {
    const std::string_view text = PQcmdTuples(result_.get());
    std::size_t count = 0;
    std::from_chars(text.data(), text.data() + text.size(), count);
    return count;
}

std::string_view Answer::tag() const { return PQcmdStatus(result_.get()); }

Column Answer::column(const char* name) const {
    const int number = PQfnumber(result_.get(), name);
    return number < 0 ? Column{} : Column{number};
}

std::optional<std::string_view> Answer::field(std::size_t row, int column, Oid type) const {
    const int number = static_cast<int>(row);
    if (PQftype(result_.get(), column) != type) {
        throw Corrupt{"PostgreSQL sent column " + std::to_string(column) + " as type " +
                      std::to_string(PQftype(result_.get(), column)) + ", not " +
                      std::to_string(type)};
    }
    if (PQgetisnull(result_.get(), number, column) != 0) return std::nullopt;
    return std::string_view{PQgetvalue(result_.get(), number, column),
                            static_cast<std::size_t>(PQgetlength(result_.get(), number, column))};
}

}  // namespace sundial::postgres
