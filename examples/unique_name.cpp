// A hundred clients want the same name. Insert first, and let the unique constraint decide which
// one was first. Checking before would tell many that the name is free. A duplicate is an ordinary
// result with a code, not a failure of the database.
#include <atomic>
#include <sundial/engine.hpp>

#include "support.hpp"

namespace {

sundial::Result<sundial::Done> sign_up(Sqlite& club, const std::string& name) {
    if (club.run("INSERT INTO members (name) VALUES (?)", {name}).duplicate) {
        return sundial::Error{"DUPLICATE_NAME", "another user has the name " + name};
    }
    return sundial::Done{};
}

}  // namespace

int main() {
    const TemporaryFolder folder;
    Sqlite club{folder.file("club.db")};
    club.run("CREATE TABLE members (name TEXT PRIMARY KEY)");

    std::atomic<int> members = 0, duplicates = 0;
    in_parallel(100, [&](int) {
        Sqlite own{folder.file("club.db")};
        const auto signed_up = sign_up(own, "ada");
        if (signed_up) ++members;
        if (!signed_up && signed_up.error().code == "DUPLICATE_NAME") ++duplicates;
    });

    std::cout << members << " is ada, " << duplicates << " were told that the name is taken\n";
    require(members == 1 && duplicates == 99,
            "one caller has the name, and the others have a reason");
    require(club.run("SELECT count(*) FROM members").row[0] == 1, "there is one row");
}
