#include "server/backup_archive.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "adapters/system/running_digest.hpp"
#include "application/ports/failures.hpp"

namespace sundial::server {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::string_view archive_magic = "sundial-backup 1\n";
/// Forty tables take 20 KB. The header has a fixed size, since it is written last.
constexpr std::size_t archive_header_size = 65'536;
constexpr std::size_t archive_part_size = 262'144;

std::string archive_sum(std::string_view bytes) {
    const auto sum = system::new_sha256();
    sum->add(bytes);
    return sum->finish();
}

[[noreturn]] void refuse_archive(const fs::path& file, const std::string& why) {
    throw CannotStart{file.string() + ": " + why};
}

std::string archive_error() { return std::generic_category().message(errno); }

std::string text_of_header(const ArchiveHeader& header) {
    json::array tables;
    for (const ArchivedTable& each : header.tables) {
        json::array columns;
        for (const std::string& column : each.table.columns) columns.emplace_back(column);
        tables.emplace_back(json::object{{"name", each.table.name},
                                         {"columns", columns},
                                         {"rows", each.rows},
                                         {"bytes", each.bytes},
                                         {"sha256", each.sha256}});
    }
    json::array sequences;
    for (const postgres::SavedSequence& each : header.sequences) {
        sequences.emplace_back(
            json::object{{"name", each.name}, {"last", each.last}, {"called", each.called}});
    }
    const json::object all{{"formatVersion", 1},
                           {"schemaVersion", header.schema_version},
                           {"takenAt", header.taken_at},
                           {"product", header.product},
                           {"serverVersion", header.server_version},
                           {"tzRelease", header.tz_release},
                           {"tables", tables},
                           {"sequences", sequences}};
    return json::serialize(all);
}

std::string string_in(const json::object& object, const char* name) {
    return std::string{object.at(name).as_string()};
}

ArchiveHeader header_of_text(std::string_view text) {
    const json::value parsed = json::parse(text);
    const json::object& all = parsed.as_object();
    ArchiveHeader header;
    header.schema_version = all.at("schemaVersion").to_number<int>();
    header.taken_at = string_in(all, "takenAt");
    header.product = string_in(all, "product");
    header.server_version = string_in(all, "serverVersion");
    header.tz_release = string_in(all, "tzRelease");
    for (const json::value& value : all.at("tables").as_array()) {
        const json::object& object = value.as_object();
        ArchivedTable table;
        table.table.name = string_in(object, "name");
        for (const json::value& column : object.at("columns").as_array()) {
            table.table.columns.emplace_back(column.as_string());
        }
        table.rows = object.at("rows").to_number<std::int64_t>();
        table.bytes = object.at("bytes").to_number<std::uint64_t>();
        table.sha256 = string_in(object, "sha256");
        header.tables.push_back(std::move(table));
    }
    for (const json::value& value : all.at("sequences").as_array()) {
        const json::object& object = value.as_object();
        header.sequences.push_back({string_in(object, "name"),
                                    object.at("last").to_number<std::int64_t>(),
                                    object.at("called").as_bool()});
    }
    return header;
}

/// Fewer bytes than asked for only at the end of the file.
std::size_t read_fully(int descriptor, char* to, std::size_t size, const fs::path& file) {
    std::size_t done = 0;
    while (done < size) {
        const ssize_t got = ::read(descriptor, to + done, size - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) refuse_archive(file, "cannot be read: " + archive_error());
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

}  // namespace

ArchiveWriter::ArchiveWriter(const PartialFile& file)
    : partial_{file.path()}, descriptor_{file.descriptor()} {
    buffer_.assign(archive_header_size, ' ');
}

void ArchiveWriter::write(std::string_view bytes) {
    buffer_ += bytes;
    if (buffer_.size() >= archive_part_size) flush();
}

void ArchiveWriter::flush() {
    std::string_view left = buffer_;
    while (!left.empty()) {
        const ssize_t written = ::write(descriptor_, left.data(), left.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) refuse_archive(partial_, "cannot be written: " + archive_error());
        left.remove_prefix(static_cast<std::size_t>(written));
    }
    buffer_.clear();
}

void ArchiveWriter::complete(const ArchiveHeader& header) {
    flush();
    const std::string text = text_of_header(header);
    std::string head{archive_magic};
    head += archive_sum(text) + '\n' + text + '\n';
    if (head.size() > archive_header_size)
        refuse_archive(partial_, "too many tables for its header");
    head.resize(archive_header_size, ' ');
    const ssize_t written = ::pwrite(descriptor_, head.data(), head.size(), 0);
    if (written != static_cast<ssize_t>(head.size())) {
        refuse_archive(partial_, "cannot be written: " + archive_error());
    }
}

ArchiveReader::ArchiveReader(const fs::path& file, NewDigest digest)
    : file_{file}, new_digest_{std::move(digest)} {
    descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) refuse_archive(file, "cannot be opened: " + archive_error());
    try {
        std::string head(archive_header_size, '\0');
        const std::size_t size = read_fully(descriptor_, head.data(), head.size(), file);
        const std::size_t sum_at = archive_magic.size();
        const std::size_t text_at = sum_at + 65;
        if (size != archive_header_size || !head.starts_with(archive_magic)) {
            refuse_archive(file, "this is not a complete backup of sundial, or of a newer format");
        }
        const std::size_t end = head.find('\n', text_at);
        const std::string text =
            end == std::string::npos ? "" : head.substr(text_at, end - text_at);
        if (text.empty() || archive_sum(text) != head.substr(sum_at, 64)) {
            refuse_archive(file, "the header is damaged (SHA-256)");
        }
        try {
            header_ = header_of_text(text);
        } catch (const std::exception& error) {
            refuse_archive(file, std::string{"the header cannot be read: "} + error.what());
        }
    } catch (...) {
        ::close(descriptor_);
        throw;
    }
}

ArchiveReader::~ArchiveReader() { ::close(descriptor_); }

void ArchiveReader::begin(const ArchivedTable& table) {
    table_ = &table;
    left_ = table.bytes;
    rows_ = 0;
    sum_ = new_digest_();
}

std::string_view ArchiveReader::next_part() {
    part_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(left_, archive_part_size)));
    if (part_.empty()) return {};
    const std::size_t got = read_fully(descriptor_, part_.data(), part_.size(), file_);
    part_.resize(got);
    left_ = got == 0 ? left_ : left_ - got;
    // COPY writes a line feed inside a value as \n, so each line is a row.
    rows_ += std::count(part_.begin(), part_.end(), '\n');
    sum_->add(part_);
    return part_;
}

std::string ArchiveReader::end() {
    const std::string& name = table_->table.name;
    if (left_ > 0) return "table " + name + ": the file ends before its rows do";
    if (sum_->finish() != table_->sha256) {
        return "table " + name + " differs from the saved one (SHA-256)";
    }
    if (rows_ != table_->rows) {
        return "table " + name + " has " + std::to_string(rows_) + " rows, " +
               std::to_string(table_->rows) + " were saved";
    }
    return {};
}

std::string ArchiveReader::read(const ArchivedTable& table, const Take& take) {
    begin(table);
    for (std::string_view part = next_part(); !part.empty(); part = next_part()) {
        if (take) take(part);
    }
    return end();
}

bool ArchiveReader::at_end() {
    char more = 0;
    return read_fully(descriptor_, &more, 1, file_) == 0;
}

bool is_archive(const fs::path& file) {
    std::ifstream opened{file, std::ios::binary};
    std::string begin(archive_magic.size(), '\0');
    opened.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    // The version may be another one, which ArchiveReader refuses.
    constexpr std::string_view name = "sundial-backup ";
    return begin.starts_with(name) || begin.find_first_not_of(' ') == std::string::npos;
}

}  // namespace sundial::server
