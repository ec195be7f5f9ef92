#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/postgres/backup.hpp"
#include "application/ports/backup.hpp"
#include "server/partial_file.hpp"

/// The file of a PostgreSQL backup (ADR 0048): 65,536 bytes of header,
/// which are three lines, then the rows of each table in COPY's text format, one after the other.
namespace sundial::server {

struct ArchivedTable {
    postgres::SavedTable table;
    std::int64_t rows = 0;
    std::uint64_t bytes = 0;
    std::string sha256{};
};
struct ArchiveHeader {
    int schema_version = 0;
    std::string taken_at{}, server_version{}, tz_release{}, product{};
    std::vector<ArchivedTable> tables{};  // in the order of the file
    std::vector<postgres::SavedSequence> sequences{};
};

class ArchiveWriter {
public:
    /// `file` must be empty and outlive the writer.
    explicit ArchiveWriter(const PartialFile& file);

    /// Throws CannotStart if the file cannot be written.
    void write(std::string_view bytes);
    /// Writes the header.
    void complete(const ArchiveHeader& header);

private:
    void flush();

    std::filesystem::path partial_;
    int descriptor_;
    std::string buffer_;
};

class ArchiveReader {
public:
    /// Throws CannotStart if it is not a complete archive that this program can read.
    ArchiveReader(const std::filesystem::path& file, NewDigest digest);
    ~ArchiveReader();
    ArchiveReader(const ArchiveReader&) = delete;
    ArchiveReader& operator=(const ArchiveReader&) = delete;

    [[nodiscard]] const ArchiveHeader& header() const { return header_; }
    /// Reads the next table of the header in parts. `take` may be empty. Returns its fault, or
    /// an empty text.
    using Take = std::function<void(std::string_view)>;
    [[nodiscard]] std::string read(const ArchivedTable& table, const Take& take);
    /// As `read`, part by part: an empty part is the end of the table.
    [[nodiscard]] std::string_view next_part();
    void begin(const ArchivedTable& table);
    [[nodiscard]] std::string end();
    /// Whether bytes follow the last table.
    [[nodiscard]] bool at_end();

private:
    std::filesystem::path file_;
    NewDigest new_digest_;
    int descriptor_ = -1;
    ArchiveHeader header_;
    const ArchivedTable* table_ = nullptr;
    std::uint64_t left_ = 0;
    std::int64_t rows_ = 0;
    std::unique_ptr<RunningDigest> sum_;
    std::string part_;
};

/// Whether the file begins as an archive does.
[[nodiscard]] bool is_archive(const std::filesystem::path& file);

}  // namespace sundial::server
