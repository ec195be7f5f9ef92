#include "server/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "application/ports/failures.hpp"
#include "support/temporary_folder.hpp"

namespace sundial::server {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class SettingsFile {
public:
    explicit SettingsFile(const std::string& content) { std::ofstream(path_) << content; }
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    TemporaryFolder folder_;
    std::string path_ = folder_.file("sundial.toml");
};

std::string error_about(const SettingsSources& sources) {
    try {
        (void)load_settings(sources);
    } catch (const CannotStart& error) {
        return error.what();
    }
    return "";
}

const SettingShown& shown(const LoadedSettings& loaded, std::string_view key) {
    return *std::ranges::find(loaded.shown, key, &SettingShown::key);
}

TEST(Settings, HaveDefaultsThatStart) {
    const LoadedSettings loaded = load_settings({});
    EXPECT_EQ(loaded.settings.http.listen, "127.0.0.1:8080");
    EXPECT_EQ(shown(loaded, "scheduler.lease").value, "PT30S");
    EXPECT_EQ(shown(loaded, "scheduler.lease").origin, "default");
}

std::string refusal_of_roles(const std::map<std::string, std::string>& flags) {
    try {
        check_roles(load_settings({.flags = flags}).settings);
    } catch (const CannotStart& error) {
        return error.what();
    }
    return "";
}

TEST(Roles, AreAllByDefaultAndShownInOneOrder) {
    EXPECT_EQ(shown(load_settings({}), "scheduler.roles").value, "api,scheduler,worker,ui");
    const LoadedSettings loaded = load_settings({.flags = {{"scheduler.roles", "worker,api"}}});
    EXPECT_EQ(shown(loaded, "scheduler.roles").value, "api,worker");
    EXPECT_EQ(loaded.settings.scheduler.roles,
              (Roles{.api = true, .scheduler = false, .worker = true, .ui = false}));
}

TEST(Roles, AreAListInAFile) {
    const SettingsFile file("[scheduler]\nroles = [\"worker\", \"scheduler\"]\n");
    EXPECT_EQ(shown(load_settings({.file = file.path()}), "scheduler.roles").value,
              "scheduler,worker");
}

TEST(Roles, AreRefusedIfUnknownOrEmpty) {
    for (const char* text : {"", ",", "worker,cook", "all", "Worker"}) {
        EXPECT_THAT(error_about({.flags = {{"scheduler.roles", text}}}),
                    AllOf(HasSubstr("--scheduler.roles"),
                          HasSubstr("one or more of api, scheduler, worker and ui")))
            << text;
    }
}

TEST(Roles, AreRefusedIfNoProcessCanServeWithThem) {
    const std::string postgres = "postgresql://sundial@db/sundial";
    EXPECT_THAT(refusal_of_roles({{"scheduler.roles", "ui,worker"}, {"storage.url", postgres}}),
                HasSubstr("ui without api"));
    EXPECT_THAT(refusal_of_roles({{"scheduler.roles", "api,worker"}}),
                AllOf(HasSubstr("lacks scheduler"), HasSubstr("SQLite file sundial.db")));
    EXPECT_EQ(refusal_of_roles({{"scheduler.roles", "api,scheduler,worker"}}), "");
    EXPECT_THAT(refusal_of_roles({{"scheduler.roles", "worker"}, {"storage.url", postgres}}),
                HasSubstr("set http.health_listen"));
    EXPECT_EQ(refusal_of_roles({{"scheduler.roles", "worker"},
                                {"storage.url", postgres},
                                {"http.health_listen", "127.0.0.1:8081"}}),
              "");
    EXPECT_EQ(refusal_of_roles({{"scheduler.roles", "api"}, {"storage.url", postgres}}), "");
}

/// A directory like the one that systemd makes for LoadCredential=.
class Credentials {
public:
    void add(const std::string& name, const std::string& content) const {
        std::ofstream(folder_.file(name)) << content;
    }
    [[nodiscard]] std::string path() const { return folder_.path(); }

private:
    TemporaryFolder folder_;
};

TEST(Settings, TakeCredentials) {
    const Credentials credentials;
    credentials.add("sundial.security.encryption_key", "a secret\n");
    credentials.add("sundial.http.tls_key", "-----BEGIN PRIVATE KEY-----");
    credentials.add("sundial_http.tls_cert", "-----BEGIN CERTIFICATE-----");
    credentials.add("getty.password", "of another program");
    const SettingsFile file("[security]\nencryption_key = 'from the file'");
    const LoadedSettings loaded = load_settings(
        {.file = file.path(), .environment = {{"CREDENTIALS_DIRECTORY", credentials.path()}}});
    EXPECT_EQ(loaded.settings.security.encryption_key, "a secret");
    EXPECT_EQ(loaded.settings.http.tls_key, credentials.path() + "/sundial.http.tls_key");
    EXPECT_EQ(shown(loaded, "security.encryption_key").value, "***");
    EXPECT_EQ(shown(loaded, "security.encryption_key").origin,
              "credential sundial.security.encryption_key");
}

TEST(Settings, ReplaceCredentialsByTheEnvironment) {
    const Credentials credentials;
    credentials.add("sundial.storage.url", "sqlite:one.db");
    const LoadedSettings loaded =
        load_settings({.environment = {{"CREDENTIALS_DIRECTORY", credentials.path()},
                                       {"SUNDIAL_STORAGE_URL", "sqlite:two.db"}}});
    EXPECT_EQ(loaded.settings.storage.url, "sqlite:two.db");
}

TEST(Settings, RefuseUnknownCredentials) {
    const Credentials credentials;
    credentials.add("sundial.security.encryption_keys", "a secret");
    const std::string error =
        error_about({.environment = {{"CREDENTIALS_DIRECTORY", credentials.path()}}});
    EXPECT_THAT(error, AllOf(HasSubstr("credential sundial.security.encryption_keys"),
                             HasSubstr("security.encryption_key"), Not(HasSubstr("a secret"))));
    EXPECT_THAT(error_about({.environment = {{"CREDENTIALS_DIRECTORY", credentials.path() + "x"}}}),
                HasSubstr("CREDENTIALS_DIRECTORY"));
}

TEST(Settings, ReportAnInvalidAddressByName) {
    const auto setting_error = [](const std::string& key, const std::string& text) {
        return error_about({.flags = {{key, text}}});
    };
    EXPECT_THAT(setting_error("http.listen", "8080"), HasSubstr("http.listen takes address:port"));
    EXPECT_THAT(setting_error("http.health_listen", "9090"),
                AllOf(HasSubstr("http.health_listen takes address:port"), HasSubstr("not '9090'")));
    EXPECT_EQ(setting_error("http.health_listen", "0.0.0.0:9090"), "");
    EXPECT_EQ(setting_error("http.health_listen", ""), "");
}

TEST(Settings, FlagsOverrideTheEnvironmentWhichOverridesTheFile) {
    const SettingsFile file(
        "[http]\nlisten = \"127.0.0.1:1\"\n[scheduler]\nlease = \"PT40S\"\nclaim_batch = 7\n");
    const LoadedSettings loaded =
        load_settings({.file = file.path(),
                       .environment = {{"SUNDIAL_HTTP_LISTEN", "127.0.0.1:2"},
                                       {"SUNDIAL_SCHEDULER_LEASE", "PT50S"}},
                       .flags = {{"http.listen", "127.0.0.1:3"}}});
    EXPECT_EQ(loaded.settings.http.listen, "127.0.0.1:3");
    EXPECT_EQ(loaded.settings.scheduler.lease, 50s);
    EXPECT_EQ(loaded.settings.scheduler.claim_batch, 7U);
    EXPECT_EQ(shown(loaded, "http.listen").origin, "--http.listen");
    EXPECT_EQ(shown(loaded, "scheduler.lease").origin, "SUNDIAL_SCHEDULER_LEASE");
    EXPECT_EQ(shown(loaded, "scheduler.claim_batch").origin, file.path());
}

TEST(Settings, DefaultsOfACommandHaveTheLowestPrecedence) {
    SettingsSources sources;
    sources.defaults = {{"log.level", "warn"}, {"ui.inbox", "true"}};
    sources.environment = {{"SUNDIAL_LOG_LEVEL", "debug"}};
    const LoadedSettings loaded = load_settings(sources);
    EXPECT_EQ(loaded.settings.log.level, "debug");
    EXPECT_TRUE(loaded.settings.ui.inbox);
    EXPECT_EQ(shown(loaded, "ui.inbox").origin, "default");
}

TEST(Settings, TheUsualVariablesOfPlatformsAreRead) {
    const Settings settings =
        load_settings({.environment = {{"DATABASE_URL", "postgresql://db/x"},
                                       {"PORT", "9000"},
                                       {"LOG_LEVEL", "warn"},
                                       {"OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318"}}})
            .settings;
    EXPECT_EQ(settings.traces.endpoint, "http://collector:4318");
    EXPECT_EQ(settings.storage.url, "postgresql://db/x");
    EXPECT_EQ(settings.http.listen, "127.0.0.1:9000");
    EXPECT_EQ(settings.log.level, "warn");
    EXPECT_EQ(load_settings({.environment = {{"DATABASE_URL", "postgresql://db/x"},
                                             {"SUNDIAL_STORAGE_URL", "sqlite:y"}}})
                  .settings.storage.url,
              "sqlite:y");
}

TEST(Settings, AnUnknownKeyIsReportedWithASuggestion) {
    const SettingsFile file("[http]\nlisten_on = \"127.0.0.1:1\"\n");
    EXPECT_THAT(error_about({.file = file.path()}),
                AllOf(HasSubstr(file.path()), HasSubstr("'http.listen_on'"),
                      HasSubstr("did you mean 'http.listen'?")));
    EXPECT_THAT(error_about({.environment = {{"SUNDIAL_HTTP_LISTN", "x"}}}),
                HasSubstr("did you mean SUNDIAL_HTTP_LISTEN?"));
    EXPECT_THAT(error_about({.flags = {{"delivery.worker", "1"}}}),
                HasSubstr("'delivery.workers'"));
}

TEST(Settings, VariablesOfOtherReadersAreIgnored) {
    const std::set<std::string> others{"SUNDIAL_SERVER"};
    EXPECT_EQ(error_about({.environment = {{"SUNDIAL_SERVER", "x"}}, .other_variables = others}),
              "");
    EXPECT_THAT(error_about({.environment = {{"SUNDIAL_SERVR", "x"}}, .other_variables = others}),
                HasSubstr("did you mean SUNDIAL_SERVER?"));
}

TEST(Settings, AnInvalidValueIsReportedWithTheValidValues) {
    const std::pair<std::string, std::string> wrong[] = {{"http.listen", "8080"},
                                                         {"storage.pool_size", "none"},
                                                         {"storage.shards", "12"},
                                                         {"scheduler.lease", "30"},
                                                         {"scheduler.lease", "P1D"},
                                                         {"scheduler.birthday_time", "25:00"},
                                                         {"delivery.allow_http", "yes"},
                                                         {"delivery.ports", "443,x"},
                                                         {"log.level", "loud"},
                                                         {"scheduler.claim_batch", "0"},
                                                         {"delivery.timeout", "PT31S"},
                                                         {"delivery.circuit.failure_ratio", "1.5"},
                                                         {"delivery.circuit.failure_ratio", "half"},
                                                         {"delivery.circuit.open", "PT0S"},
                                                         {"traces.sample", "1.1"},
                                                         {"traces.sample", "-0.1"},
                                                         {"traces.sample", "10%"},
                                                         {"ping.every", "PT1S"}};
    for (const auto& [key, text] : wrong) {
        EXPECT_THAT(error_about({.flags = {{key, text}}}), HasSubstr(key)) << text;
    }
}

TEST(Settings, RetentionUsesTheMaximumLengthOfCalendarDurations) {
    const auto kept = [](const char* text) {
        return load_settings({.flags = {{"retention.completed", text}}})
            .settings.retention.events.completed;
    };
    EXPECT_EQ(kept("P90D"), std::chrono::days{90});
    EXPECT_EQ(kept("P1Y1M"), std::chrono::days{366 + 31});
    EXPECT_EQ(kept("PT36H"), std::chrono::hours{36});
    for (const char* wrong : {"90", "P0D", "P36501D", "P200Y", "P1.5D"}) {
        EXPECT_THAT(error_about({.flags = {{"retention.completed", wrong}}}),
                    HasSubstr("a duration from P1D to P36500D, such as P90D or P1Y"))
            << wrong;
    }
}

TEST(Settings, ALeaseShorterThanTheEndpointTimeoutIsRefused) {
    EXPECT_THAT(
        error_about({.flags = {{"scheduler.lease", "PT35S"}, {"delivery.timeout", "PT30S"}}}),
        HasSubstr("scheduler.lease"));
}

TEST(Settings, TheCircuitTableHasABoundedPause) {
    const SettingsFile file(
        "[delivery]\n"
        "circuit = {window = \"PT30S\", min_calls = 7, failure_ratio = 0.25, open = \"PT5S\"}\n");
    const auto circuit = load_settings({.file = file.path()}).settings.delivery.circuit;
    EXPECT_EQ(circuit, (CircuitPolicy{.window = std::chrono::seconds(30),
                                      .min_calls = 7,
                                      .failure_ratio = 0.25,
                                      .open = std::chrono::seconds(5)}));
    EXPECT_THAT(error_about({.flags = {{"delivery.circuit.open_max", "PT20S"}}}),
                HasSubstr("delivery.circuit.open"));
}

TEST(Settings, AMalformedFileIsReportedWithItsLine) {
    const SettingsFile file("[http]\nlisten = \n");
    EXPECT_THAT(error_about({.file = file.path()}), HasSubstr(file.path() + ":2"));
    EXPECT_THAT(error_about({.file = "/does/not/exist.toml"}), HasSubstr("/does/not/exist.toml"));
}

TEST(Settings, SecretsAreReadFromFilesAndNeverShown) {
    const SettingsFile file("a secret\n");
    const LoadedSettings loaded =
        load_settings({.environment = {{"SUNDIAL_SECURITY_ENCRYPTION_KEY_FILE", file.path()}},
                       .flags = {{"storage.url", "postgresql://me:hush@db/x"}}});
    EXPECT_EQ(loaded.settings.security.encryption_key, "a secret");
    EXPECT_EQ(shown(loaded, "security.encryption_key").value, "***");
    EXPECT_EQ(shown(loaded, "storage.url").value, "postgresql://me:***@db/x");
}

TEST(ParseListen, TakesBothFamilies) {
    EXPECT_EQ(parse_listen("[::1]:8080").host, "::1");
    EXPECT_EQ(parse_listen("localhost:0").host, "127.0.0.1");
    EXPECT_EQ(parse_listen("0.0.0.0:65535").port, 65535);
}

TEST(Settings, TheSourceOfTimeZonesAndItsDirectoryMustAgree) {
    EXPECT_THAT(error_about({.flags = {{"tz.source", "dir"}}}),
                HasSubstr("tz.dir must name the directory"));
    EXPECT_THAT(error_about({.flags = {{"tz.source", "system"}, {"tz.dir", "/opt/zones"}}}),
                HasSubstr("leave out one of them"));
    EXPECT_THAT(error_about({.flags = {{"tz.on_change", "move"}}}),
                HasSubstr("one of reschedule report"));
    EXPECT_EQ(error_about({.flags = {{"tz.source", "dir"}, {"tz.dir", "/opt/zones"}}}), "");
    EXPECT_EQ(error_about({.flags = {{"tz.dir", "/opt/zones"}, {"tz.watch", "false"}}}), "");
}

TEST(Settings, NameTheFilesThatHoldSecrets) {
    const SettingsFile file(
        "[storage]\nlisten_url = 'postgresql://u:p@h/d'\nurl = 'postgresql://u@h/d'\n"
        "[security]\napi_keys_file = 'keys'\n[http]\ntls_cert = 'cert'\ntls_key = 'key'\n");
    const LoadedSettings loaded = load_settings({.file = file.path()});
    std::vector<std::pair<std::string, std::string>> found;
    for (const auto& [setting, named] : loaded.secret_files) found.emplace_back(setting, named);
    EXPECT_THAT(found, testing::ElementsAre(testing::Pair("storage.listen_url", file.path()),
                                            testing::Pair("http.tls_key", "key"),
                                            testing::Pair("security.api_keys_file", "keys")));
}

}  // namespace
}  // namespace sundial::server
