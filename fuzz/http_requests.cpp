#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/http/request_reader.hpp"
#include "adapters/http/timed_socket.hpp"
#include "base/check.hpp"
#include "base/text.hpp"

/// The bytes of a connection: heads, bodies and chunks. The first byte says where they are divided;
/// the requests are the same whether they arrive in one piece or in two. Of two defects, either may
/// be the reason of a refusal.
namespace sundial::http {
namespace {

namespace asio = boost::asio;

constexpr std::size_t most_bytes = 32 * 1024;  // less than a socket's buffer

ServerSettings small_settings() {
    ServerSettings settings;
    settings.head_bytes = 1024;
    settings.target_bytes = 128;
    settings.header_count = 16;
    settings.body_bytes = 2048;
    return settings;
}

/// The result as the caller of the parser sees it.
std::string seen(const Incoming& incoming) {
    if (incoming.gone) return "gone";
    if (incoming.refused) {
        base::check(!incoming.refused->detail.empty());
        base::check(base::count_code_points(incoming.refused->detail).has_value());
        return "refused";
    }
    base::check(incoming.request.body.size() <= 2048);
    return incoming.request.method + ' ' + incoming.request.target + ' ' + incoming.request.body;
}

asio::awaitable<void> read_all(RequestReader& reader, std::vector<std::string>& requests) {
    for (;;) {
        const Incoming incoming = co_await reader.read();
        requests.push_back(seen(incoming));
        if (incoming.gone || incoming.refused || !incoming.keep_alive) co_return;
    }
}

void send_all(int socket, std::string_view bytes) {
    base::check(::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
                static_cast<ssize_t>(bytes.size()));
}

std::vector<std::string> requests_of(std::string_view first, std::string_view second) {
    static const ServerSettings settings = small_settings();
    std::array<int, 2> ends{};
    base::check(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    std::vector<std::string> requests;
    {
        asio::io_context context{1};
        TimedSocket socket{asio::ip::tcp::socket{context, asio::ip::tcp::v4(), ends[0]}};
        RequestReader reader{socket, settings, [] {}};
        asio::co_spawn(context, read_all(reader, requests), [](const std::exception_ptr& thrown) {
            if (thrown) std::rethrow_exception(thrown);
        });
        if (!first.empty()) send_all(ends[1], first);
        context.poll();
        if (!second.empty()) send_all(ends[1], second);
        ::shutdown(ends[1], SHUT_WR);
        context.run();
    }
    ::close(ends[1]);
    return requests;
}

void read(std::string_view input) {
    if (input.empty() || input.size() > most_bytes) return;
    const std::string_view bytes = input.substr(1);
    const std::size_t divided = static_cast<unsigned char>(input.front()) % (bytes.size() + 1);
    const auto whole = requests_of(bytes, {});
    base::check(whole == requests_of(bytes.substr(0, divided), bytes.substr(divided)));
}

}  // namespace
}  // namespace sundial::http

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    sundial::http::read({reinterpret_cast<const char*>(data), size});
    return 0;
}
