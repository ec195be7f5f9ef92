#include "adapters/webhook/transfer.hpp"

#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "base/crash_point.hpp"

namespace sundial::webhook {
namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;
using std::chrono::milliseconds;

/// A connection that is idle for five seconds may already be closed. libcurl counts whole seconds.
constexpr long longest_idle_s = 4;

constexpr const char* forbidden_address = "requests must not go to this address";

Outcome failed(Verdict verdict, DeliveryErrorCode code, std::string text) {
    Outcome outcome;
    outcome.verdict = verdict;
    outcome.error = code;
    outcome.error_text = std::move(text);
    return outcome;
}

std::string seconds_text(microseconds time) {
    const auto tenths = std::chrono::round<milliseconds>(time).count() / 100;
    return std::to_string(tenths / 10) +
           (tenths % 10 == 0 ? "" : '.' + std::to_string(tenths % 10)) + " s";
}

long millis(microseconds time) {
    return static_cast<long>(duration_cast<milliseconds>(time).count());
}

/// libcurl treats a blank value as a removed header; a semicolon sends the header with an empty
/// value.
std::string header_line(const std::string& name, const std::string& value) {
    return value.find_first_not_of(" \t") == std::string::npos ? name + ';' : name + ": " + value;
}

}  // namespace

struct Transfer::Callbacks {
    static Transfer& self(void* transfer) { return *static_cast<Transfer*>(transfer); }

    static std::size_t read(char* into, std::size_t size, std::size_t count, void* transfer) {
        CRASH_POINT("send: mid request");  // the head is sent, the body is not
        Transfer& to = self(transfer);
        const std::size_t bytes = std::min(size * count, to.body_.size() - to.taken_);
        std::copy_n(to.body_.data() + to.taken_, bytes, into);
        to.taken_ += bytes;
        return bytes;
    }

    static std::size_t head(char* line, std::size_t size, std::size_t count, void* transfer) {
        return self(transfer).reader_.head_line({line, size * count}) ? size * count : 0;
    }

    static std::size_t body(char* piece, std::size_t size, std::size_t count, void* transfer) {
        return self(transfer).reader_.body({piece, size * count}) ? size * count : 0;
    }

    /// The last check of an address before anything is sent to it, even a SYN.
    static curl_socket_t open(void* transfer, curlsocktype /*purpose*/, curl_sockaddr* address) {
        Transfer& to = self(transfer);
        const auto target = address_of(address->addr);
        if (!target || to.denied(*target) ||
            std::ranges::find(to.addresses_, *target) == to.addresses_.end()) {
            to.denied_ = true;
            return CURL_SOCKET_BAD;
        }
        to.opened_ = true;
        const int connection =
            ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
        to.forget_unread(connection);
        return connection;
    }

    /// Called when the TCP connection is established, before TLS. libcurl has one timeout for both,
    /// so the time for TLS is counted from here.
    static CURLcode tls(CURL* handle, void* /*context*/, void* transfer) {
        Transfer& to = self(transfer);
        to.tls_begun_ = true;
        const microseconds connected = to.world_.clock.now() - to.begun_;
        return curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS,
                                millis(connected + to.world_.settings.tls_timeout));
    }

    /// Called when the connection is established, including TLS, and nothing of the request is
    /// sent.
    static int before_request(void* transfer, char* peer, char* /*local*/, int /*peer_port*/,
                              int /*local_port*/) {
        Transfer& to = self(transfer);
        // A second call means that the first connection broke during the request. The receiver may
        // have got any part of it.
        if (std::exchange(to.sent_, true)) return CURL_PREREQFUNC_ABORT;
        if (!to.may_send_to(peer)) {
            to.denied_ = true;
            return CURL_PREREQFUNC_ABORT;
        }
        to.set_headers();
        return CURL_PREREQFUNC_OK;
    }
};

void Transfer::HandleFree::operator()(CURL* handle) const { curl_easy_cleanup(handle); }
void Transfer::ListFree::operator()(curl_slist* list) const { curl_slist_free_all(list); }

Transfer::Transfer(DeliveryRequest request, Target target, Credentials credentials, World world,
                   std::function<void(Outcome)> done)
    : request_(std::move(request)),
      target_(std::move(target)),
      body_(request_body(request_.event, request_.endpoint->format)),
      credentials_(std::move(credentials)),
      world_(world),
      done_(std::move(done)),
      started_(world.clock.now()),
      handle_(curl_easy_init()) {
    if (target_.address) addresses_.push_back(*target_.address);
    set_up();
}

Transfer::~Transfer() = default;

void Transfer::set_up() {
    CURL* const curl = handle_.get();
    const TransferSettings& settings = world_.settings;
    curl_easy_setopt(curl, CURLOPT_PRIVATE, this);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CURLU, target_.url.get());
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    if (!settings.ca_file.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, settings.ca_file.c_str());
    curl_easy_setopt(curl, CURLOPT_MAXAGE_CONN, longest_idle_s);
    // The body comes from a callback that cannot rewind, so libcurl cannot send it a second time.
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body_.size()));
    curl_easy_setopt(curl, CURLOPT_READFUNCTION, &Callbacks::read);
    curl_easy_setopt(curl, CURLOPT_READDATA, this);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &Callbacks::head);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &Callbacks::body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, this);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, &Callbacks::open);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, this);
    curl_easy_setopt(curl, CURLOPT_SSL_CTX_FUNCTION, &Callbacks::tls);
    curl_easy_setopt(curl, CURLOPT_SSL_CTX_DATA, this);
    curl_easy_setopt(curl, CURLOPT_PREREQFUNCTION, &Callbacks::before_request);
    curl_easy_setopt(curl, CURLOPT_PREREQDATA, this);
}

const std::string* Transfer::name() const { return target_.address ? nullptr : &target_.host; }

microseconds Transfer::name_due() const {
    return started_ +
           std::min<microseconds>(world_.settings.dns_timeout, request_.endpoint->timeout);
}

bool Transfer::denied(const Address& address) const {
    return world_.addresses.denied(address, target_.port);
}

bool Transfer::resolved_to(std::span<const Address> addresses) {
    if (std::ranges::any_of(addresses, [this](const Address& one) { return denied(one); }))
        return false;
    addresses_.assign(addresses.begin(), addresses.end());
    // libcurl resolves nothing itself. The plus makes the entry expire like any other.
    std::string entry = '+' + target_.host + ':' + std::to_string(target_.port) + ':';
    for (const Address& address : addresses) {
        if (&address != &addresses.front()) entry += ',';
        entry += address.v6 ? '[' + to_string(address) + ']' : to_string(address);
    }
    resolved_.reset(curl_slist_append(nullptr, entry.c_str()));
    curl_easy_setopt(handle_.get(), CURLOPT_RESOLVE, resolved_.get());
    return true;
}

void Transfer::begin() {
    begun_ = world_.clock.now();
    const auto left = request_.endpoint->timeout - (begun_ - started_);
    curl_easy_setopt(handle_.get(), CURLOPT_TIMEOUT_MS, std::max(1L, millis(left)));
    curl_easy_setopt(handle_.get(), CURLOPT_CONNECTTIMEOUT_MS,
                     millis(world_.settings.connect_timeout));
}

/// `peer` is the result of getpeername() in libcurl: one of the checked addresses, or the peer of a
/// reused connection, which is checked now.
bool Transfer::may_send_to(std::string_view peer) const {
    const auto address = parse_address(peer);
    return address && !denied(*address) &&
           (!opened_ || std::ranges::find(addresses_, *address) != addresses_.end());
}

/// Otherwise the kernel keeps sending unacknowledged data for minutes after we gave up, and a
/// network that recovers delivers an old attempt after the one that succeeded.
void Transfer::forget_unread(int connection) const {
    const auto timeout_ms = static_cast<unsigned>(millis(request_.endpoint->timeout));
    ::setsockopt(connection, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof timeout_ms);
}

/// Signed now, not when the attempt began: resolving and handshakes take time, and the signature's
/// timestamp is the time of sending.
void Transfer::set_headers() {
    request_.now += world_.clock.now() - started_;
    curl_slist* list = nullptr;
    for (const auto& [name, value] :
         request_headers(request_, body_, credentials_, world_.settings.user_agent)) {
        list = curl_slist_append(list, header_line(name, value).c_str());
    }
    for (const char* unwanted : {"Expect:", "Accept:", "Transfer-Encoding:"})
        list = curl_slist_append(list, unwanted);
    headers_.reset(list);
    curl_easy_setopt(handle_.get(), CURLOPT_HTTPHEADER, headers_.get());
}

void Transfer::report(Outcome outcome) {
    outcome.duration = world_.clock.now() - started_;
    std::exchange(done_, {})(std::move(outcome));
}

void Transfer::finish(int curl_code) { report(outcome(curl_code)); }

void Transfer::give_up(DeliveryErrorCode code, std::string why) {
    report(failed(Verdict::retryable, code, std::move(why)));
}

void Transfer::forbid(std::string why) {
    report(failed(Verdict::permanent, DeliveryErrorCode::destination_forbidden, std::move(why)));
}

Outcome Transfer::outcome(int curl_code) const {
    if (!reader_.head_complete()) return failure(curl_code);
    Outcome outcome;
    outcome.status_code = reader_.status();
    outcome.verdict = judge_status(reader_.status(), 0);
    outcome.response_body = readable_text(without_echoes(reader_.kept_body(), credentials_.headers),
                                          reader_.body_was_cut());
    outcome.retry_after =
        reader_.retry_after(std::chrono::floor<std::chrono::seconds>(request_.now));
    if (outcome.verdict != Verdict::accepted) outcome.error = DeliveryErrorCode::http_status;
    return outcome;
}

std::string Transfer::time_out_text() const {
    const TransferSettings& settings = world_.settings;
    const microseconds whole = request_.endpoint->timeout;
    const bool all_used = world_.clock.now() - started_ >= whole - milliseconds(1);
    if (sent_ || all_used) return "no response within " + seconds_text(whole);
    return tls_begun_ ? "the TLS handshake took more than " + seconds_text(settings.tls_timeout)
                      : "no connection within " + seconds_text(settings.connect_timeout);
}

Outcome Transfer::failure(int curl_code) const {
    const auto retryable = [](DeliveryErrorCode code, std::string text) {
        return failed(Verdict::retryable, code, std::move(text));
    };
    if (denied_)
        return failed(Verdict::permanent, DeliveryErrorCode::destination_forbidden,
                      forbidden_address);
    std::string text = curl_easy_strerror(static_cast<CURLcode>(curl_code));
    switch (curl_code) {
        case CURLE_OPERATION_TIMEDOUT:
            return retryable(DeliveryErrorCode::timeout, time_out_text());
        case CURLE_COULDNT_RESOLVE_HOST:
            return retryable(DeliveryErrorCode::dns, std::move(text));
        case CURLE_COULDNT_CONNECT:
            return retryable(DeliveryErrorCode::connect, std::move(text));
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_CIPHER:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_SSL_ISSUER_ERROR:
            return retryable(DeliveryErrorCode::tls, std::move(text));
        case CURLE_SEND_ERROR:
        case CURLE_RECV_ERROR:
        case CURLE_SEND_FAIL_REWIND:
            return retryable(DeliveryErrorCode::connect, std::move(text));
        case CURLE_ABORTED_BY_CALLBACK:
            return retryable(DeliveryErrorCode::connect,
                             "the connection was closed before a response arrived");
        case CURLE_WRITE_ERROR:
            return retryable(DeliveryErrorCode::protocol, reader_.refusal());
        default:
            return retryable(DeliveryErrorCode::protocol, std::move(text));
    }
}

}  // namespace sundial::webhook
