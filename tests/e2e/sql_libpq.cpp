// A program of libpq's with an own table: places an order with its event in one transaction.
//   sql_libpq URL ORDER KEY commit|rollback|die    prints the event's id, or SQLSTATE, code and
//   detail
// die: the process ends before the commit, while its transaction is open.
#include <libpq-fe.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

PGresult* done(PGconn* connection, PGresult* result) {
    const ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return result;
    std::printf("%s %s %s\n", PQresultErrorField(result, PG_DIAG_SQLSTATE),
                PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY),
                PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL));
    PQclear(result);
    PQfinish(connection);
    std::exit(1);
}

void run(PGconn* connection, const char* statement) {
    PQclear(done(connection, PQexec(connection, statement)));
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 5) return 2;
    PGconn* connection = PQconnectdb(arguments[1]);
    if (PQstatus(connection) != CONNECTION_OK) {
        std::fprintf(stderr, "%s", PQerrorMessage(connection));
        return 2;
    }
    const char* const order[] = {arguments[2]};
    const char* const event[] = {arguments[2], arguments[3]};
    run(connection, "BEGIN");
    PQclear(done(connection, PQexecParams(connection, "INSERT INTO orders VALUES ($1)", 1, nullptr,
                                          order, nullptr, nullptr, 0)));
    PGresult* const scheduled = done(
        connection,
        PQexecParams(connection,
                     "SELECT sundial.schedule_event('ORDER', now(), jsonb_build_object('order', "
                     "$1::integer), 'r', idempotency_key => $2)",
                     2, nullptr, event, nullptr, nullptr, 0));
    std::printf("%s\n", PQgetvalue(scheduled, 0, 0));
    std::fflush(stdout);
    PQclear(scheduled);
    if (std::strcmp(arguments[4], "die") == 0) std::raise(SIGKILL);
    run(connection, std::strcmp(arguments[4], "commit") == 0 ? "COMMIT" : "ROLLBACK");
    PQfinish(connection);
    return 0;
}
