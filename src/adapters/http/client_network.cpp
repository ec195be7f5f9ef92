#include "adapters/http/client_network.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v6.hpp>

namespace sundial::http {

std::string network_of(const std::string& address) {
    namespace ip = boost::asio::ip;
    constexpr unsigned short bits_of_one_client = 64;
    boost::system::error_code failure;
    const ip::address parsed = ip::make_address(address, failure);
    if (failure || parsed.is_v4()) return address;
    const ip::address_v6 v6 = parsed.to_v6();
    if (v6.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, v6).to_string();
    return ip::network_v6(ip::address_v6(v6.to_bytes()), bits_of_one_client)
        .canonical()
        .to_string();
}

}  // namespace sundial::http
