#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace sundial::sqlite {

/// Restricts the actions of the program's own statements. Applies while such a statement is
/// prepared and run, and not to the adapter's statements.
class CallerRules {
public:
    CallerRules();

    void apply(bool on) {
        applied_ = on;
        refusal_.reset();
    }
    /// Why SQLite refused the latest statement. Empty: not because of these rules.
    [[nodiscard]] std::optional<std::string> take_refusal() {
        return std::exchange(refusal_, std::nullopt);
    }
    /// An authorizer (sqlite3_set_authorizer); `rules` points to this object.
    static int ask(void* rules, int action, const char* first, const char* second,
                   const char* database, const char* trigger);

private:
    [[nodiscard]] std::optional<std::string> refuse(int action, std::string_view first,
                                                    std::string_view second) const;

    const std::set<std::string, std::less<>> sundials_;  // its tables and views
    bool applied_ = false;
    std::optional<std::string> refusal_;
};

}  // namespace sundial::sqlite
