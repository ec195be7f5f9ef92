#include "adapters/system/running_digest.hpp"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

#include "base/text.hpp"

namespace sundial::system {
namespace {

class OpenSslDigest final : public RunningDigest {
public:
    OpenSslDigest() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
        succeed(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
    }
    void add(std::string_view bytes) override {
        succeed(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
    }
    [[nodiscard]] std::string finish() override {
        std::array<unsigned char, EVP_MAX_MD_SIZE> sum{};
        unsigned int size = 0;
        succeed(EVP_DigestFinal_ex(context_.get(), sum.data(), &size) == 1);
        return base::to_hex({reinterpret_cast<const char*>(sum.data()), size});
    }

private:
    static void succeed(bool done) {
        if (!done) throw std::runtime_error("OpenSSL: SHA-256 failed");
    }
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::unique_ptr<RunningDigest> new_sha256() { return std::make_unique<OpenSslDigest>(); }

}  // namespace sundial::system
