#include "adapters/sqs/credential_chain.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <map>

#include "adapters/sqs/profiles.hpp"
#include "base/text.hpp"
#include "domain/time/text.hpp"

namespace sundial::sqs {
namespace {

namespace json = boost::json;
using Maybe = std::optional<CredentialResult>;  // empty: this source is not configured

constexpr std::chrono::milliseconds sts_timeout{5'000};
constexpr std::string_view container_host = "http://169.254.170.2";
constexpr std::string_view metadata_host = "http://169.254.169.254";

CredentialResult none(std::string reason) { return NoCredentials{std::move(reason)}; }

std::string failure_of(const CredentialResponse& response) {
    return response.status == 0 ? response.body : "status " + std::to_string(response.status);
}

std::optional<Instant> instant_in(std::string_view text) {
    const auto parsed = parse_instant(text);
    return parsed ? std::optional{parsed->instant} : std::nullopt;
}

/// %-encodes all but unreserved characters.
std::string form_encoded(std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string encoded;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = base::is_digit(c) || base::is_lower(base::lower(c)) || c == '-' ||
                           c == '_' || c == '.' || c == '~';
        if (plain) {
            encoded += c;
        } else {
            encoded += '%';
            encoded += digits[byte >> 4U];
            encoded += digits[byte & 0xfU];
        }
    }
    return encoded;
}

/// The text of the first element `name`.
std::string element_in(std::string_view xml, const std::string& name) {
    const std::string open = '<' + name + '>';
    const auto begin = xml.find(open);
    if (begin == std::string_view::npos) return {};
    const auto end = xml.find("</" + name + '>', begin);
    if (end == std::string_view::npos) return {};
    return std::string{xml.substr(begin + open.size(), end - begin - open.size())};
}

class Chain {
public:
    explicit Chain(const CredentialWorld& world) : world_(world) {}

    CredentialResult find() {
        if (auto found = from_environment()) return *std::move(found);
        read_files();
        if (auto found = from_web_identity()) return *std::move(found);
        if (auto found = from_profile()) return *std::move(found);
        if (auto found = from_container()) return *std::move(found);
        return from_instance();
    }

private:
    [[nodiscard]] std::optional<std::string> variable(const std::string& name) const {
        auto value = world_.environment(name);
        if (value && value->empty()) return std::nullopt;
        return value;
    }

    [[nodiscard]] Maybe from_environment() const {
        const auto key = variable("AWS_ACCESS_KEY_ID");
        if (!key) return std::nullopt;
        const auto secret = variable("AWS_SECRET_ACCESS_KEY");
        if (!secret) return none("AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not");
        return Credentials{{*key, *secret, variable("AWS_SESSION_TOKEN").value_or("")},
                           std::nullopt};
    }

    /// The profile, from both files; that of credentials goes before that of config.
    void read_files() {
        const auto chosen = variable("AWS_PROFILE");
        profile_name_ = chosen.value_or("default");
        const std::string home = variable("HOME").value_or("");
        for (const auto& [name, path] :
             {std::pair{"AWS_CONFIG_FILE", home + "/.aws/config"},
              std::pair{"AWS_SHARED_CREDENTIALS_FILE", home + "/.aws/credentials"}}) {
            const auto text = world_.read_file(variable(name).value_or(path));
            if (!text) continue;
            auto profiles = read_profiles(*text);
            const auto found = profiles.find(profile_name_);
            if (found == profiles.end()) continue;
            has_profile_ = true;
            for (auto& [setting, value] : found->second) profile_[setting] = std::move(value);
        }
        if (chosen && !has_profile_) missing_profile_ = true;
    }

    [[nodiscard]] std::optional<std::string> setting(const std::string& name) const {
        const auto found = profile_.find(name);
        return found == profile_.end() ? std::nullopt : std::optional{found->second};
    }

    [[nodiscard]] Maybe from_web_identity() const {
        auto file = variable("AWS_WEB_IDENTITY_TOKEN_FILE");
        auto role = variable("AWS_ROLE_ARN");
        auto session = variable("AWS_ROLE_SESSION_NAME");
        if (!file) {
            file = setting("web_identity_token_file");
            role = setting("role_arn");
            session = setting("role_session_name");
        }
        if (!file) return std::nullopt;
        if (!role) return none("a web identity token is configured, but no role (AWS_ROLE_ARN)");
        const auto token = world_.read_file(*file);
        if (!token) return none("the web identity token cannot be read: " + *file);
        CredentialRequest request{.method = "POST", .url = sts_url(), .timeout = sts_timeout};
        request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
        request.body =
            "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=" + form_encoded(*role) +
            "&RoleSessionName=" + form_encoded(session.value_or("sundial")) +
            "&WebIdentityToken=" + form_encoded(base::trimmed(*token, " \t\r\n"));
        const CredentialResponse response = world_.send(request);
        auto found = response.status == 200 ? read_assumed_role(response.body) : std::nullopt;
        if (found) return *std::move(found);
        const std::string code = element_in(response.body, "Code").substr(0, 100);
        return none("AssumeRoleWithWebIdentity for " + *role + " failed: " + failure_of(response) +
                    (code.empty() ? "" : ' ' + code));
    }

    [[nodiscard]] std::string sts_url() const {
        if (const auto url = variable("AWS_ENDPOINT_URL_STS")) return *url;
        auto region = variable("AWS_REGION");
        if (!region) region = variable("AWS_DEFAULT_REGION");
        if (!region) region = setting("region");
        if (!region) return "https://sts.amazonaws.com/";
        const bool china = region->starts_with("cn-");
        return "https://sts." + *region + ".amazonaws.com" + (china ? ".cn/" : "/");
    }

    [[nodiscard]] Maybe from_profile() const {
        if (missing_profile_) return none("no profile '" + profile_name_ + "' (AWS_PROFILE)");
        const auto key = setting("aws_access_key_id");
        const auto secret = setting("aws_secret_access_key");
        if (setting("role_arn")) {
            return none("profile '" + profile_name_ +
                        "' assumes a role from another profile, which Sundial does not; use web "
                        "identity, a container's or an instance's role");
        }
        if (key && secret) {
            return Credentials{{*key, *secret, setting("aws_session_token").value_or("")},
                               std::nullopt};
        }
        for (const char* other : {"credential_process", "sso_session", "sso_account_id"}) {
            if (!setting(other)) continue;
            return none("profile '" + profile_name_ + "' uses " + other +
                        ", which Sundial does not support");
        }
        return std::nullopt;
    }

    [[nodiscard]] Maybe from_container() const {
        const auto relative = variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
        const auto full = variable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
        if (!relative && !full) return std::nullopt;
        CredentialRequest request;
        request.url = relative ? std::string{container_host} + *relative : *full;
        if (!relative && !may_ask(*full)) {
            return none(
                "AWS_CONTAINER_CREDENTIALS_FULL_URI must be https or one of the addresses "
                "that AWS uses");
        }
        auto token = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN");
        if (const auto file = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")) {
            token = world_.read_file(*file);
            if (!token) return none("the container's authorization token cannot be read: " + *file);
        }
        if (token) {
            request.headers.emplace_back("Authorization", base::trimmed(*token, " \t\r\n"));
        }
        return answer_of("the container's credential service", request);
    }

    [[nodiscard]] CredentialResult from_instance() const {
        const std::string nothing = "no AWS credentials are configured";
        if (base::same_ignoring_case(variable("AWS_EC2_METADATA_DISABLED").value_or(""), "true")) {
            return none(nothing);
        }
        std::string host =
            variable("AWS_EC2_METADATA_SERVICE_ENDPOINT").value_or(std::string{metadata_host});
        while (host.ends_with('/')) host.pop_back();
        const CredentialResponse token =
            world_.send({.method = "PUT",
                         .url = host + "/latest/api/token",
                         .headers = {{"X-aws-ec2-metadata-token-ttl-seconds", "21600"}}});
        if (token.status != 200) {
            return none(nothing + ", and the instance metadata service does not answer: " +
                        failure_of(token));
        }
        const std::string roles = host + "/latest/meta-data/iam/security-credentials/";
        CredentialRequest request{.url = roles,
                                  .headers = {{"X-aws-ec2-metadata-token", token.body}}};
        const CredentialResponse role = world_.send(request);
        const std::string_view name =
            base::trimmed(std::string_view{role.body}.substr(0, role.body.find('\n')), " \t\r");
        if (role.status != 200 || name.empty()) return none(nothing + "; the instance has no role");
        request.url = roles + std::string{name};
        return answer_of("the instance metadata service", request);
    }

    [[nodiscard]] CredentialResult answer_of(const std::string& service,
                                             const CredentialRequest& request) const {
        const CredentialResponse response = world_.send(request);
        auto found =
            response.status == 200 ? read_service_credentials(response.body) : std::nullopt;
        if (found) return *std::move(found);
        return none(service + " gave no credentials: " + failure_of(response));
    }

    const CredentialWorld& world_;
    std::string profile_name_;
    Profile profile_;
    bool has_profile_ = false;
    bool missing_profile_ = false;
};

}  // namespace

CredentialResult find_credentials(const CredentialWorld& world) { return Chain{world}.find(); }

std::optional<Credentials> read_service_credentials(std::string_view text) {
    boost::system::error_code failed;
    const json::value value = json::parse(text, failed);
    const json::object* object = failed ? nullptr : value.if_object();
    if (object == nullptr) return std::nullopt;
    const auto member = [&](const char* name) -> std::string {
        const json::value* found = object->if_contains(name);
        const json::string* its = found == nullptr ? nullptr : found->if_string();
        return its == nullptr ? std::string{} : std::string{its->subview()};
    };
    Credentials credentials{{member("AccessKeyId"), member("SecretAccessKey"), member("Token")},
                            instant_in(member("Expiration"))};
    const AwsKeys& keys = credentials.keys;
    if (keys.access_key.empty() || keys.secret_key.empty()) return std::nullopt;
    return credentials;
}

std::optional<Credentials> read_assumed_role(std::string_view xml) {
    const std::string inner = element_in(xml, "Credentials");
    Credentials credentials{{element_in(inner, "AccessKeyId"), element_in(inner, "SecretAccessKey"),
                             element_in(inner, "SessionToken")},
                            instant_in(element_in(inner, "Expiration"))};
    const AwsKeys& keys = credentials.keys;
    if (keys.access_key.empty() || keys.secret_key.empty()) return std::nullopt;
    return credentials;
}

bool may_ask(std::string_view uri) {
    if (uri.starts_with("https://")) return true;
    constexpr std::string_view scheme = "http://";
    if (!uri.starts_with(scheme)) return false;
    std::string_view host = uri.substr(scheme.size());
    host = host.substr(0, host.find_first_of("/?#"));
    if (host.find('@') != std::string_view::npos) return false;
    host =
        host.starts_with('[') ? host.substr(0, host.find(']') + 1) : host.substr(0, host.find(':'));
    constexpr std::array<std::string_view, 4> allowed{"localhost", "[::1]", "169.254.170.2",
                                                      "169.254.170.23"};
    const bool is_loopback =
        host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos;
    return is_loopback || host == "[fd00:ec2::23]" ||
           std::ranges::find(allowed, host) != allowed.end();
}

}  // namespace sundial::sqs
