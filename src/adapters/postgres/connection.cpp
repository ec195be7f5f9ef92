#include "adapters/postgres/connection.hpp"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <ranges>
#include <string_view>
#include <utility>
#include <variant>

#include "adapters/postgres/transaction_sql.hpp"
#include "application/ports/failures.hpp"

namespace sundial::postgres {
namespace {

using namespace std::chrono_literals;

constexpr int binary = 1;
constexpr std::chrono::milliseconds first_silence = 5s;  // the time limit for connecting

/// libpq ends its messages with a line break.
std::string text_of(const char* message) {
    std::string text = message ? message : "";
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
}

std::string field_of(const PGresult* result, int code) {
    const char* text = PQresultErrorField(result, code);
    return text ? text : "";
}

/// Logs the server's notices. Only warnings matter to operators.
void log_notice(void* log, const PGresult* result) {
    const std::string severity = field_of(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    static_cast<base::Log*>(log)->write(
        {.level = severity == "WARNING" ? base::LogLevel::warn : base::LogLevel::debug,
         .event_name = {},
         .message = "PostgreSQL: " + field_of(result, PG_DIAG_MESSAGE_PRIMARY),
         .correlation_id = {},
         .fields = {}});
}

/// Whether the server closes the connection, or reports that the outcome is unknown. A server that
/// passes on the failure of another machine reports it as an error of the statement.
bool ends_the_connection(const PGresult* result, std::string_view state) {
    if (state == "40003") return true;
    return (state.starts_with("08") || state.starts_with("57P0")) &&
           field_of(result, PG_DIAG_SEVERITY_NONLOCALIZED) != "ERROR";
}

bool is_done(const Answer& answer) {
    const auto status = PQresultStatus(answer.raw());
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

/// Waits until the socket is readable, or writable if libpq has data to send.
bool wait_for(int socket, bool to_send, std::chrono::milliseconds silence) {
    pollfd polled{.fd = socket,
                  .events = static_cast<short>(to_send ? POLLIN | POLLOUT : POLLIN),
                  .revents = 0};
    for (;;) {
        const int ready = poll(&polled, 1, static_cast<int>(silence.count()));
        if (ready >= 0 || errno != EINTR) return ready > 0;
    }
}

[[noreturn]] void refuse_url(std::string_view setting, std::string_view why) {
    throw CannotStart{std::string{setting} + " is not a PostgreSQL address: " + std::string{why} +
                      "; write it as postgresql://user:password@host:5432/database"};
}

/// libpq takes parts of a password with an unescaped @ or / for host, port or database, and quotes
/// those in messages.
void refuse_spilled_password(std::string_view url, std::string_view setting) {
    const auto scheme = url.find("://");
    if (scheme == std::string_view::npos) return;  // host=… dbname=…
    url.remove_prefix(scheme + 3);
    const auto at = url.find('@'), slash = url.find('/'), query = url.find('?');
    if (at == std::string_view::npos || (slash < at && query < at)) return;  // no user, or ?x=@
    const std::string_view after = url.substr(at + 1);
    if (slash < at || after.find('@') < after.find('?')) {
        refuse_url(setting, "an @ or / of a password is written %40 or %2F");
    }
}

/// libpq quotes an invalid port, which may be the end of a password.
void refuse_odd_port(const PQconninfoOption* options, std::string_view setting) {
    for (const PQconninfoOption* option = options; option->keyword; ++option) {
        if (!option->val || std::string_view{option->keyword} != "port") continue;
        if (std::string_view{option->val}.find_first_not_of("0123456789,") !=
            std::string_view::npos) {
            refuse_url(setting, "its port is not a number");
        }
    }
}

struct FreeOptions {
    void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};
using Options = std::unique_ptr<PQconninfoOption, FreeOptions>;

Options options_of(const std::string& url, std::string_view setting) {
    char* reason = nullptr;
    Options options{PQconninfoParse(url.c_str(), &reason)};
    if (options) return options;
    // libpq's message may quote a part of the URL.
    const std::string text = text_of(reason);
    PQfreemem(reason);
    const std::string_view unquoted = std::string_view{text}.substr(0, text.find('"'));
    refuse_url(setting, unquoted.substr(0, unquoted.find_last_not_of(" :") + 1));
}

/// "b,c,a" for "a,b,c" and 1.
std::string rotated(std::string_view list, std::size_t by) {
    std::vector<std::string_view> items;
    for (std::size_t end = 0; end != std::string_view::npos; list.remove_prefix(end + 1)) {
        end = list.find(',');
        items.push_back(list.substr(0, end));
        if (end == std::string_view::npos) break;
    }
    std::ranges::rotate(items, items.begin() + static_cast<std::ptrdiff_t>(by % items.size()));
    std::string text{items.front()};
    for (const std::string_view item : items | std::views::drop(1)) {
        text += ',';
        text += item;
    }
    return text;
}

/// An option that is a list, in another order. Empty if the URL does not have the option.
std::string reordered(const PQconninfoOption* options, std::string_view keyword, std::size_t by) {
    for (const PQconninfoOption* option = options; option->keyword; ++option) {
        if (option->val && keyword == option->keyword) return rotated(option->val, by);
    }
    return {};
}

}  // namespace

void check_url(const std::string& url, std::string_view setting) {
    refuse_spilled_password(url, setting);
    refuse_odd_port(options_of(url, setting).get(), setting);
}

void Connection::Close::operator()(pg_conn* connection) const {
    if (!callers) return PQfinish(connection);
    // Both fail only if the connection is broken, and then its next use reports that.
    static_cast<void>(PQexitPipelineMode(connection));
    static_cast<void>(PQsetnonblocking(connection, was_nonblocking ? 1 : 0));
}

namespace {

[[noreturn]] void refuse_connection(const char* sqlstate, const std::string& why) {
    throw StatementRefused{{.sqlstate = sqlstate, .sqlite = 0, .constraint = {}}, why};
}

}  // namespace

Connection::Connection(pg_conn* callers, base::Log& log)
    : log_{log},
      connection_(nullptr, Close{.callers = true,
                                 .was_nonblocking = callers && PQisnonblocking(callers) == 1}) {
    if (callers == nullptr || PQstatus(callers) != CONNECTION_OK) {
        refuse_connection("08003", "the connection is not open");
    }
    switch (PQtransactionStatus(callers)) {
        case PQTRANS_INTRANS:
            break;
        case PQTRANS_IDLE:
            refuse_connection("25P01", "the connection has no open transaction: begin one first");
        case PQTRANS_INERROR:
            refuse_connection("25P02",
                              "the transaction of the connection has failed: roll it back");
        default:
            refuse_connection("55006", "the connection is in use");
    }
    if (PQpipelineStatus(callers) != PQ_PIPELINE_OFF || PQsetnonblocking(callers, 1) != 0) {
        refuse_connection("55006", "the connection is in use");
    }
    connection_.reset(callers);
    if (PQenterPipelineMode(callers) != 1) {
        refuse_connection("55006", "the connection is in use: " + text_of(PQerrorMessage(callers)));
    }
}

Connection::Connection(const std::string& url, base::Log& log, std::size_t first_host,
                       Access access)
    : log_{log}, connection_(nullptr, Close{.callers = false, .was_nonblocking = false}) {
    check_url(url);
    // The URL may override the options before dbname, not those after it (libpq 34.1). Time limits:
    // a lost server is detected within 10 s while data is sent, within 25 s while we listen.
    std::vector<const char*> names{
        "connect_timeout",  "tcp_user_timeout",          "keepalives_idle", "keepalives_interval",
        "keepalives_count", "fallback_application_name", "dbname",          "target_session_attrs",
        "client_encoding"};
    std::vector<const char*> values{
        "5",   "10000",   "10",        "5",
        "3",   "sundial", url.c_str(), access == Access::read_write ? "read-write" : "any",
        "UTF8"};
    const Options options = options_of(url, "storage.url");
    constexpr std::array keywords{"host", "hostaddr", "port"};
    std::array<std::string, keywords.size()> lists;
    for (std::size_t i = 0; i < keywords.size(); ++i) {
        lists[i] = reordered(options.get(), keywords[i], first_host);
        if (lists[i].empty()) continue;
        names.push_back(keywords[i]);
        values.push_back(lists[i].c_str());
    }
    names.push_back(nullptr);
    values.push_back(nullptr);
    connection_.reset(PQconnectdbParams(names.data(), values.data(), 1));
    if (PQstatus(connection_.get()) != CONNECTION_OK) {
        throw Unavailable{"PostgreSQL cannot be reached: " +
                          text_of(PQerrorMessage(connection_.get()))};
    }
    PQsetNoticeReceiver(connection_.get(), log_notice, &log_);
    if (PQsetnonblocking(connection_.get(), 1) != 0 ||
        PQenterPipelineMode(connection_.get()) != 1) {
        throw Unavailable{"PostgreSQL connection cannot be set up: " +
                          text_of(PQerrorMessage(connection_.get()))};
    }
    meet(access);
}

Connection::~Connection() = default;

void Connection::meet(Access access) {
    try {
        const Call question{sql::backend_identity};
        const auto answers = run({&question, 1}, false, first_silence);
        direct_ = answers.front().get<std::int32_t>(0, 0) == backend_process();
        if (access == Access::read_write && answers.front().get<bool>(0, 1)) {
            throw Unavailable{"the PostgreSQL server is a standby, which accepts no writes"};
        }
    } catch (const ConnectionLost& lost) {
        throw Unavailable{lost.what()};
    } catch (const SqlError& error) {
        throw Unavailable{std::string{"PostgreSQL refuses the connection: "} + error.what()};
    }
}

void Connection::lose(const std::string& why) {
    broken_ = true;
    throw ConnectionLost{why};
}

void Connection::send_prepare(const Call& call) {
    std::vector<::Oid> types;
    for (const auto& slot : call.parameters.slots()) types.push_back(slot.type);
    if (PQsendPrepare(connection_.get(), call.statement->name, call.statement->sql,
                      static_cast<int>(types.size()), types.data()) != 1) {
        lose(text_of(PQerrorMessage(connection_.get())));
    }
}

void Connection::send(const Call& call, bool prepare) {
    const auto& slots = call.parameters.slots();
    std::vector<::Oid> types;
    std::vector<const char*> values;
    std::vector<int> lengths;
    const std::vector<int> formats(slots.size(), binary);
    for (const auto& slot : slots) {
        types.push_back(slot.type);
        values.push_back(slot.length ? call.parameters.bytes() + slot.offset : nullptr);
        lengths.push_back(static_cast<int>(slot.length.value_or(0)));
    }
    const int count = static_cast<int>(slots.size());
    const int sent =
        prepare ? PQsendQueryPrepared(connection_.get(), call.statement->name, count, values.data(),
                                      lengths.data(), formats.data(), binary)
                : PQsendQueryParams(connection_.get(), call.statement->sql, count, types.data(),
                                    values.data(), lengths.data(), formats.data(), binary);
    if (sent != 1) lose(text_of(PQerrorMessage(connection_.get())));
}

pg_result* Connection::next_result(std::chrono::milliseconds silence) {
    for (;;) {
        const int unsent = PQflush(connection_.get());
        if (unsent < 0) lose(text_of(PQerrorMessage(connection_.get())));
        if (PQisBusy(connection_.get()) == 0) return PQgetResult(connection_.get());
        if (!wait_for(PQsocket(connection_.get()), unsent == 1, silence)) {
            lose("PostgreSQL did not answer in time");
        }
        if (PQconsumeInput(connection_.get()) != 1) {
            lose(text_of(PQerrorMessage(connection_.get())));
        }
    }
}

void Connection::note_refusal(const pg_result* result, std::optional<SqlError>& first) {
    const std::string state = field_of(result, PG_DIAG_SQLSTATE);
    // Without its DETAIL, which quotes rows: names of people do not belong in logs.
    std::string message = field_of(result, PG_DIAG_MESSAGE_PRIMARY);
    if (message.empty()) message = text_of(PQresultErrorMessage(result));
    if (PQstatus(connection_.get()) == CONNECTION_BAD || ends_the_connection(result, state))
        lose(message);
    if (!first) first.emplace(state, field_of(result, PG_DIAG_CONSTRAINT_NAME), message);
}

std::vector<Answer> Connection::run(std::span<const Call> calls, bool prepare,
                                    std::chrono::milliseconds silence) {
    prepare = prepare && direct_;
    // The owner of each answer: the preparation of a statement, or (null) a call.
    std::vector<const Statement*> expected;
    for (const Call& call : calls) {
        const bool by_name = prepare && call.statement->plan == Statement::Plan::kept;
        if (by_name && !prepared_.contains(call.statement) &&
            std::find(expected.begin(), expected.end(), call.statement) == expected.end()) {
            send_prepare(call);
            expected.push_back(call.statement);
        }
        send(call, by_name);
        expected.push_back(nullptr);
    }
    end_pipeline();
    if (std::exchange(leaving_, false)) await_leave(silence);

    std::vector<Answer> answers;
    answers.reserve(calls.size());
    std::optional<SqlError> refused;
    for (const Statement* preparation : expected) {
        Answer rows = next_answer(silence, refused);
        const bool done = is_done(rows);
        if (!preparation) answers.push_back(std::move(rows));
        if (preparation && done) prepared_.insert(preparation);
    }
    await_end(silence);
    if (refused) throw std::move(*refused);
    return answers;
}

void Connection::send_part(std::span<const Call> part, bool prepare) {
    for (const Call& call : part) {
        send(call, prepare && call.statement->plan == Statement::Plan::kept);
    }
    end_pipeline();
    send(Call{sql::commit}, false);
    end_pipeline();
}

Connection::PartAnswers Connection::await_part(std::span<const Call> part,
                                               std::chrono::milliseconds silence) {
    PartAnswers its;
    its.answers.reserve(part.size());
    for (std::size_t i = 0; i < part.size(); ++i) {
        its.answers.push_back(next_answer(silence, its.refused));
    }
    await_end(silence);
    const Answer ended = next_answer(silence, its.refused);
    await_end(silence);
    return its;
}

Connection::SentParts Connection::send_parts(std::span<const std::vector<Call>> parts,
                                             bool prepare) {
    SentParts sent{parts, prepare && direct_, {}};
    if (!direct_) return sent;
    // Preparations come first, in a pipeline of their own: a part that fails would take those
    // within it along, for the parts after it, too.
    for (const Call& call : parts | std::views::join) {
        const Statement* const statement = call.statement;
        if (!sent.prepare || statement->plan != Statement::Plan::kept ||
            prepared_.contains(statement) ||
            std::ranges::find(sent.preparing, statement) != sent.preparing.end()) {
            continue;
        }
        send_prepare(call);
        sent.preparing.push_back(statement);
    }
    if (!sent.preparing.empty()) end_pipeline();
    for (const std::vector<Call>& part : parts) send_part(part, sent.prepare);
    return sent;
}

std::vector<Connection::PartAnswers> Connection::await_parts(const SentParts& sent,
                                                             std::chrono::milliseconds silence) {
    if (std::exchange(leaving_, false)) await_leave(silence);
    std::optional<SqlError> unprepared;
    for (const Statement* statement : sent.preparing) {
        if (is_done(next_answer(silence, unprepared))) prepared_.insert(statement);
    }
    if (!sent.preparing.empty()) await_end(silence);
    std::vector<PartAnswers> all;
    all.reserve(sent.parts.size());
    for (const std::vector<Call>& part : sent.parts) {
        if (!direct_) send_part(part, sent.prepare);
        all.push_back(await_part(part, silence));
    }
    if (unprepared) throw std::move(*unprepared);
    return all;
}

Answer Connection::next_answer(std::chrono::milliseconds silence,
                               std::optional<SqlError>& refused) {
    Answer rows{next_result(silence)};
    if (!is_done(rows) && PQresultStatus(rows.raw()) != PGRES_PIPELINE_ABORTED) {
        note_refusal(rows.raw(), refused);
    }
    const Answer end{next_result(silence)};  // a null ends each answer
    return rows;
}

namespace {

/// The text of a parameter; empty for null.
struct TextOf {
    std::optional<std::string> operator()(std::nullptr_t) const { return std::nullopt; }
    std::optional<std::string> operator()(bool value) const { return value ? "t" : "f"; }
    std::optional<std::string> operator()(std::int64_t value) const {
        return std::to_string(value);
    }
    std::optional<std::string> operator()(double value) const {
        if (std::isnan(value)) return "NaN";
        if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
        std::array<char, 32> digits{};  // the longest has 24
        const auto end = std::to_chars(digits.begin(), digits.end(), value).ptr;
        return std::string{digits.begin(), end};
    }
    std::optional<std::string> operator()(const std::string& value) const { return value; }
    std::optional<std::string> operator()(const SqlValue::Bytes& value) const {
        return std::string{reinterpret_cast<const char*>(value.data()), value.size()};
    }
};

constexpr ::Oid bytea = 17;

}  // namespace

Answer Connection::run_text(const std::string& sql, std::span<const SqlValue> values,
                            std::chrono::milliseconds silence) {
    std::vector<std::optional<std::string>> texts;
    texts.reserve(values.size());
    std::vector<::Oid> types;
    std::vector<const char*> pointers;
    std::vector<int> lengths, formats;
    for (const SqlValue& value : values) {
        const auto& text = texts.emplace_back(std::visit(TextOf{}, value.content()));
        const bool bytes = std::holds_alternative<SqlValue::Bytes>(value.content());
        types.push_back(bytes ? bytea : ::Oid{0});
        formats.push_back(bytes ? binary : 0);
        pointers.push_back(text ? text->c_str() : nullptr);
        lengths.push_back(text ? static_cast<int>(text->size()) : 0);
    }
    if (PQsendQueryParams(connection_.get(), sql.c_str(), static_cast<int>(values.size()),
                          types.data(), pointers.data(), lengths.data(), formats.data(), 0) != 1) {
        lose(text_of(PQerrorMessage(connection_.get())));
    }
    end_pipeline();
    std::optional<SqlError> refused;
    Answer answer = next_answer(silence, refused);
    await_end(silence);
    if (refused) throw std::move(*refused);
    return answer;
}

/// Also hands libpq's buffer to the network, as far as that takes it at once.
void Connection::end_pipeline() {
    if (PQpipelineSync(connection_.get()) != 1) lose(text_of(PQerrorMessage(connection_.get())));
}

void Connection::await_leave(std::chrono::milliseconds silence) {
    const Answer rolled_back{next_result(silence)};
    std::optional<SqlError> refused;
    if (PQresultStatus(rolled_back.raw()) != PGRES_COMMAND_OK) {
        note_refusal(rolled_back.raw(), refused);
        lose(refused->what());
    }
    const Answer end{next_result(silence)};
    await_end(silence);
}

void Connection::await_end(std::chrono::milliseconds silence) {
    const Answer sync{next_result(silence)};
    if (PQresultStatus(sync.raw()) != PGRES_PIPELINE_SYNC)
        lose("the answers of PostgreSQL do not match the statements sent");
}

void Connection::leave() noexcept {
    if (!direct_) return;  // a pooler gives the session away with the answer: `RollBack` awaits it
    if (broken_ || leaving_ || PQtransactionStatus(connection_.get()) == PQTRANS_IDLE) return;
    try {
        send(Call{sql::rollback}, false);
        end_pipeline();
        if (PQflush(connection_.get()) < 0) lose(text_of(PQerrorMessage(connection_.get())));
        leaving_ = true;
    } catch (const std::exception&) {
        broken_ = true;
    }
}

void Connection::roll_back(std::chrono::milliseconds silence) noexcept {
    if (broken_ || leaving_ || PQtransactionStatus(connection_.get()) == PQTRANS_IDLE) return;
    try {
        const Call rollback{sql::rollback};
        run({&rollback, 1}, false, silence);
    } catch (const std::exception&) {
        broken_ = true;  // unusable, whatever its state is
    }
}

void Connection::run_script(const std::string& sql, std::chrono::milliseconds silence) {
    if (PQexitPipelineMode(connection_.get()) != 1 ||
        PQsendQuery(connection_.get(), sql.c_str()) != 1) {
        lose(text_of(PQerrorMessage(connection_.get())));
    }
    std::optional<SqlError> refused;
    while (pg_result* next = next_result(silence)) {
        const Answer rows{next};
        if (PQresultStatus(next) == PGRES_FATAL_ERROR) note_refusal(next, refused);
    }
    if (PQenterPipelineMode(connection_.get()) != 1) {
        lose(text_of(PQerrorMessage(connection_.get())));
    }
    if (refused) throw std::move(*refused);
}

bool Connection::is_quiet() {
    if (broken_) return false;
    pollfd socket{.fd = PQsocket(connection_.get()), .events = POLLIN, .revents = 0};
    // A notice or a changed setting may arrive unrequested. The end of the connection may follow
    // the server's last message.
    while (poll(&socket, 1, 0) > 0) {
        if (PQconsumeInput(connection_.get()) != 1) return false;
    }
    return PQstatus(connection_.get()) == CONNECTION_OK &&
           (leaving_ || PQisBusy(connection_.get()) == 0);
}

bool Connection::was_notified() {
    if (PQconsumeInput(connection_.get()) != 1) lose(text_of(PQerrorMessage(connection_.get())));
    struct Free {
        void operator()(PGnotify* notification) const { PQfreemem(notification); }
    };
    bool notified = false;
    while (const std::unique_ptr<PGnotify, Free> one{PQnotifies(connection_.get())}) {
        notified = notified || one->be_pid != backend_process();
    }
    return notified;
}

int Connection::socket() const { return PQsocket(connection_.get()); }

std::optional<ServerAddress> Connection::server() const {
    const std::string_view address = PQhostaddr(connection_.get());
    const std::string_view digits = PQport(connection_.get());
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (address.empty() || error != std::errc{}) return std::nullopt;
    return ServerAddress{std::string{address}, port};
}

int Connection::server_version() const { return PQserverVersion(connection_.get()); }
int Connection::backend_process() const { return PQbackendPID(connection_.get()); }

}  // namespace sundial::postgres
