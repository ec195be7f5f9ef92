#include "adapters/webhook/transfer.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <utility>

#include "base/crash_point.hpp"

namespace sundial::webhook {
namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;
using std::chrono::milliseconds;

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
        return outbound::open_socket(address->family, address->socktype, address->protocol,
                                     to.request_.endpoint->timeout);
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

Transfer::Transfer(DeliveryRequest request, Target target, Credentials credentials, World world,
                   std::function<void(Outcome)> done)
    : request_(std::move(request)),
      target_(std::move(target)),
      body_(request_body(request_.event, request_.endpoint->format)),
      credentials_(std::move(credentials)),
      world_(world),
      done_(std::move(done)),
      started_(world.clock.now()),
      handle_(outbound::post_handle(this, body_.size(), world.settings.ca_file)) {
    if (target_.address) addresses_.push_back(*target_.address);
    set_up();
}

Transfer::~Transfer() = default;

void Transfer::set_up() {
    CURL* const curl = handle_.get();
    curl_easy_setopt(curl, CURLOPT_CURLU, target_.url.get());
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
    outbound::limit_time(handle_.get(), duration_cast<milliseconds>(left),
                         world_.settings.connect_timeout);
}

/// `peer` is the result of getpeername() in libcurl: one of the checked addresses, or the peer of a
/// reused connection, which is checked now.
bool Transfer::may_send_to(std::string_view peer) const {
    const auto address = parse_address(peer);
    return address && !denied(*address) &&
           (!opened_ || std::ranges::find(addresses_, *address) != addresses_.end());
}

/// Signed now, not when the attempt began: resolving and handshakes take time, and the signature's
/// timestamp is the time of sending.
void Transfer::set_headers() {
    request_.now += world_.clock.now() - started_;
    const auto headers = request_headers(request_, body_, credentials_, world_.settings.user_agent);
    headers_ = outbound::set_headers(handle_.get(), headers);
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
    if (denied_)
        return failed(Verdict::permanent, DeliveryErrorCode::destination_forbidden,
                      outbound::forbidden_address);
    std::string text = outbound::error_text(curl_code);
    if (curl_code == CURLE_OPERATION_TIMEDOUT) text = time_out_text();
    if (curl_code == CURLE_WRITE_ERROR) text = reader_.refusal();
    return failed(Verdict::retryable, outbound::error_code(curl_code), std::move(text));
}

}  // namespace sundial::webhook
