#include <sqlite3.h>

#include "adapters/sqlite/open.hpp"

namespace sundial::sqlite {
namespace {

/// The first version in which two connections cannot race to reset the log
/// (https://sqlite.org/wal.html).
constexpr int without_reset_race = 3'051'003;

}  // namespace

LibraryVersion library_version() {
    LibraryVersion library{sqlite3_libversion(), {}};
    if (sqlite3_libversion_number() < without_reset_race) {
        library.note =
            "older than 3.51.3, which is safe here: one connection performs all writes and "
            "checkpoints, so the log is never reset by two at once";
    }
    return library;
}

}  // namespace sundial::sqlite
