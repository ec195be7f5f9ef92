#include "carried_out.hpp"

#include <algorithm>
#include <regex>

#include "adapters/postgres/claim_sql.hpp"
#include "adapters/postgres/transaction_sql.hpp"
#include "support/postgres_cluster.hpp"

namespace sundial::postgres {
namespace {

constexpr const char* claimant = "01990000-0000-7000-8000-00000000000a";

}  // namespace

std::string carried_out(const std::string& url, const Statement& statement,
                        const std::string& types, const std::string& values, Setup setup) {
    const Statement& configure = setup == Setup::queue ? sql::configure_queue : sql::configure;
    return carried_out_after(
        std::string{"PREPARE configure(text, text, text, bigint, bigint, bigint) AS "} +
            configure.sql + "; EXECUTE configure('60000', '1000', '10000', 0, 0, 0)",
        url, statement, types, values);
}

std::string carried_out_after(const std::string& first, const std::string& url,
                              const Statement& statement, const std::string& types,
                              const std::string& values) {
    const auto rows = query(url, first + "; PREPARE it(" + types + ") AS " + statement.sql +
                                     "; EXPLAIN (ANALYZE, BUFFERS) EXECUTE it(" + values + ")");
    std::string plan;
    for (const auto& row : rows) plan += row[0] + '\n';
    return plan;
}

int pages_touched(const std::string& plan) {
    // The first line about buffers after the first line of a plan, which is not indented. An INSERT
    // in a WITH runs after the rest, which does not count its pages.
    const std::regex whole{
        "(^|\n)([^ \n]|    ->  Insert on )[^\n]*actual time[^\n]*(\n +[^\n]*)*?"
        "\n +Buffers: shared([^\n]*)"};
    const std::regex count{"(hit|read)=([0-9]+)"};
    int pages = -1;
    for (std::sregex_iterator one{plan.begin(), plan.end(), whole}, end; one != end; ++one) {
        const std::string counts = (*one)[4];
        pages = std::max(pages, 0);
        for (std::sregex_iterator each{counts.begin(), counts.end(), count}; each != end; ++each)
            pages += std::stoi((*each)[2]);
    }
    return pages;
}

std::string claim_a_batch(const std::string& url, int events, const std::string& floor) {
    return carried_out(
        url, sql::claim_ready,
        "smallint, smallint[], integer[], uuid, interval, bigint, timestamptz[], uuid[], uuid[], "
        "timestamptz",
        "3, '{0,1,2,3}', '{0,0," + std::to_string(events) + ",0}', '" + claimant +
            "', '60 s', 0, array_fill('" + floor + "'::timestamptz, ARRAY[4]), '{}', '{}', now()");
}

std::string settle_the_batch(const std::string& url) {
    const auto held = query(url, std::string{"SELECT array_agg(id), array_agg(version), count(*) "
                                             "FROM sundial.events WHERE claimed_by = '"} +
                                     claimant + "' AND shard = 3")
                          .front();
    const auto each = [&held](const std::string& what) {
        return ", array_fill(" + what + ", ARRAY[" + held[2] + "])";
    };
    return carried_out(url, sql::settle_accepted,
                       "smallint, uuid[], bigint[], timestamptz[], interval[], integer[]",
                       "3, '" + held[0] + "', '" + held[1] + "'" + each("now()") +
                           each("interval '1 ms'") + each("NULL::integer"));
}

}  // namespace sundial::postgres
