#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace sundial::cli {

/// How far an import of people is: every row up to here is stored or refused.
struct ImportProgress {
    std::uint64_t bytes = 0;  // of the imported file
    std::uint64_t hash = 0;   // of these bytes
    std::uint64_t line = 0;   // of the last row
    std::uint64_t created = 0, changed = 0, unchanged = 0, refused = 0;
    std::uint64_t error_bytes = 0;  // of the file of errors
};

/// The file of refused rows and the file of progress of an import, which change together. Either
/// may be absent. Throws BadArgument if one cannot be written or is not of this kind.
class ImportFiles {
public:
    /// Goes on from the file of progress, if it exists: later refused rows are cut off, since they
    /// will be found again. Otherwise both begin empty.
    ImportFiles(std::string errors, std::string progress);

    [[nodiscard]] const ImportProgress& reached() const { return reached_; }
    /// Appends `errors`, whole lines, and then remembers the progress. Throws std::runtime_error.
    void reach(ImportProgress progress, const std::string& errors);
    /// Removes the file of progress: the import is complete.
    void complete();

private:
    void open_errors();

    const std::string errors_name_, progress_name_;
    std::ofstream errors_;
    ImportProgress reached_;
};

}  // namespace sundial::cli
