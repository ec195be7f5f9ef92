#include "domain/user.hpp"

#include "base/text.hpp"
#include "domain/names.hpp"

namespace sundial {
namespace {

constexpr std::size_t max_members = 50;         // of dates, and of metadata
constexpr std::size_t longest_metadata = 1000;  // many of them fit in one payload of 256 KiB

class Defects {
public:
    void add(std::optional<FieldError> defect) {
        if (defect) found_.push_back(*std::move(defect));
    }
    void add(std::string pointer, std::string code, std::string message) {
        found_.push_back({std::move(pointer), std::move(code), std::move(message)});
    }
    /// Checks that the date exists, in years 0001 to 9999.
    bool add_unless_real(const std::string& pointer, Date date) {
        if (!date.ok()) {
            add(pointer, "bad_time", "must be a day that the calendar has, as YYYY-MM-DD");
        } else if (date.year() < std::chrono::year{1} || date.year() > std::chrono::year{9999}) {
            add(pointer, "out_of_range", "must be in the years 0001 to 9999");
        } else {
            return true;
        }
        return false;
    }
    template <class Map>
    void add_if_too_many(std::string pointer, const Map& members) {
        if (members.size() <= max_members) return;
        add(std::move(pointer), "out_of_range",
            "has " + std::to_string(members.size()) + " members; at most " +
                std::to_string(max_members) + " are allowed");
    }
    std::vector<FieldError> take() && { return std::move(found_); }

private:
    std::vector<FieldError> found_;
};

}  // namespace

std::vector<FieldError> defects(const User& user, Date today) {
    Defects defects;
    if (user.external_id) defects.add(refuse_external_id("/externalId", *user.external_id));
    defects.add(refuse_text("/firstName", user.first_name, max_name_length));
    defects.add(refuse_text("/lastName", user.last_name, max_name_length));
    if (defects.add_unless_real("/dateOfBirth", user.date_of_birth) &&
        user.date_of_birth >= today) {
        defects.add("/dateOfBirth", "out_of_range", "must be before today in the user's time zone");
    }
    defects.add_if_too_many("/dates", user.dates);
    for (const auto& [name, date] : user.dates) {
        const std::string pointer = json_pointer("/dates", name);
        defects.add(refuse_member_name(pointer, name));
        if (name == "dateOfBirth") {
            defects.add(pointer, "not_allowed", "the birth date is given as dateOfBirth itself");
        }
        defects.add_unless_real(pointer, date);
    }
    defects.add_if_too_many("/metadata", user.metadata);
    for (const auto& [name, value] : user.metadata) {
        const std::string pointer = json_pointer("/metadata", name);
        defects.add(refuse_member_name(pointer, name));
        if (base::count_code_points(value).value_or(0) > longest_metadata) {
            defects.add(pointer, "too_long",
                        "must have at most " + std::to_string(longest_metadata) + " characters");
        }
    }
    return std::move(defects).take();
}

int age_on(Date date_of_birth, Date day) {
    using namespace std::chrono;
    month_day birthday{date_of_birth.month(), date_of_birth.day()};
    if (birthday == February / 29 && !day.year().is_leap()) birthday = February / 28;
    const bool reached = month_day{day.month(), day.day()} >= birthday;
    return static_cast<int>((day.year() - date_of_birth.year()).count()) - (reached ? 0 : 1);
}

}  // namespace sundial
