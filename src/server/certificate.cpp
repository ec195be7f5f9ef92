#include "server/certificate.hpp"

#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cstdio>
#include <memory>

namespace sundial::server {

std::optional<std::chrono::seconds> certificate_time_left(const std::string& file) {
    const std::unique_ptr<FILE, int (*)(FILE*)> opened{std::fopen(file.c_str(), "re"),
                                                       &std::fclose};
    const std::unique_ptr<X509, decltype(&X509_free)> certificate{
        opened ? PEM_read_X509(opened.get(), nullptr, nullptr, nullptr) : nullptr, &X509_free};
    if (!certificate) return std::nullopt;
    int days = 0;
    int seconds = 0;
    if (ASN1_TIME_diff(&days, &seconds, nullptr, X509_get0_notAfter(certificate.get())) != 1) {
        return std::nullopt;
    }
    return std::chrono::days{days} + std::chrono::seconds{seconds};
}

}  // namespace sundial::server
