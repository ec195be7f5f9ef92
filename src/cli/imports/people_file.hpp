#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/imports/input_bytes.hpp"

/// Files of people, read row by row: CSV with a header, or a JSON object per line.
namespace sundial::cli {

enum class PeopleFormat : std::uint8_t { csv, ndjson };

struct PeopleOptions {
    std::string zone{};    // of people whose row names none; empty: not given
    char delimiter = ',';  // CSV
    /// CSV: members of the API, each with the name of its column.
    std::vector<std::pair<std::string, std::string>> columns{};
};

struct PersonRow {
    std::size_t line = 0;       // on which it begins
    std::string text{};         // as the file has it, without the end of its line
    std::string body{};         // the members of `POST /v1/users`, as JSON
    std::string external_id{};  // empty: it has none
    std::string zone{};
    std::string refusal{};  // why the row cannot be sent; empty: it can
};

class PeopleFile {
public:
    explicit PeopleFile(std::istream& in) : in_(in) {}
    virtual ~PeopleFile() = default;
    PeopleFile(const PeopleFile&) = delete;
    PeopleFile& operator=(const PeopleFile&) = delete;

    /// False at the end. Throws std::runtime_error if the file cannot be read.
    virtual bool next(PersonRow& row) = 0;
    /// Sentences about the whole file.
    [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
    /// Of the file so far: the end of the last row. The hash is FNV-1a.
    [[nodiscard]] std::uint64_t bytes() const { return in_.bytes(); }
    [[nodiscard]] std::uint64_t hash() const { return in_.hash(); }

protected:
    /// Throws std::runtime_error if the stream ended at `line` because it could not be read.
    void check_readable(std::size_t line) const;

    InputBytes in_;
    std::vector<std::string> notes_;
};

/// Reads the header of a CSV file. Throws BadArgument if required columns are missing, and
/// std::runtime_error if the file cannot be read.
[[nodiscard]] std::unique_ptr<PeopleFile> open_people(PeopleFormat format, std::istream& in,
                                                      const PeopleOptions& options);

}  // namespace sundial::cli
