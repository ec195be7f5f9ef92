#include "support/new_certificate.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdio>

#include "support/owned.hpp"

namespace sundial {

CertificateFiles new_certificate(const std::filesystem::path& folder, const std::string& name) {
    const CertificateFiles files{(folder / (name + ".crt")).string(),
                                 (folder / (name + ".key")).string()};
    const Owned<EVP_PKEY, EVP_PKEY_free> key{EVP_EC_gen("P-256")};
    const Owned<X509, X509_free> certificate{X509_new()};
    X509_set_version(certificate.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_NAME* const subject = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    X509_set_issuer_name(certificate.get(), subject);
    const Owned<X509_EXTENSION, X509_EXTENSION_free> address{
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1")};
    X509_add_ext(certificate.get(), address.get(), -1);
    X509_set_pubkey(certificate.get(), key.get());
    X509_sign(certificate.get(), key.get(), EVP_sha256());
    const Owned<std::FILE, std::fclose> certificate_file{
        std::fopen(files.certificate.c_str(), "w")};
    PEM_write_X509(certificate_file.get(), certificate.get());
    const Owned<std::FILE, std::fclose> key_file{std::fopen(files.key.c_str(), "w")};
    PEM_write_PrivateKey(key_file.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    return files;
}

}  // namespace sundial
