#include "cli/imports/import_progress.hpp"

#include <boost/json.hpp>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/json.hpp"
#include "cli/output.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

std::string progress_json(const ImportProgress& progress) {
    base::JsonWriter json;
    json.begin_object().member("bytes", progress.bytes).member("hash", progress.hash);
    json.member("line", progress.line).member("created", progress.created);
    json.member("changed", progress.changed).member("unchanged", progress.unchanged);
    json.member("refused", progress.refused).member("errorBytes", progress.error_bytes);
    return std::move(json.end_object()).text() + '\n';
}

ImportProgress read_progress(const std::string& name) {
    const auto refuse = [&] {
        throw BadArgument("--progress: " + name + " does not have the progress of an import");
    };
    if (!fs::is_regular_file(name)) refuse();
    std::ifstream file(name, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    json::error_code wrong;
    const json::value value = json::parse(text, wrong);
    if (wrong || !value.is_object()) refuse();
    const auto number = [&](std::string_view member) {
        const json::value* found = value.get_object().if_contains(member);
        if (found == nullptr) refuse();
        json::error_code no_number;
        const auto number = found->to_number<std::uint64_t>(no_number);
        if (no_number) refuse();
        return number;
    };
    return {.bytes = number("bytes"),
            .hash = number("hash"),
            .line = number("line"),
            .created = number("created"),
            .changed = number("changed"),
            .unchanged = number("unchanged"),
            .refused = number("refused"),
            .error_bytes = number("errorBytes")};
}

}  // namespace

ImportFiles::ImportFiles(std::string errors, std::string progress)
    : errors_name_(std::move(errors)), progress_name_(std::move(progress)) {
    if (!progress_name_.empty() && fs::exists(progress_name_))
        reached_ = read_progress(progress_name_);
    if (!errors_name_.empty()) open_errors();
    // Shows at once whether it can be written.
    if (!progress_name_.empty()) reach(reached_, "");
}

void ImportFiles::open_errors() {
    const bool again = reached_.error_bytes > 0;
    std::error_code failed;
    if (again) {
        const auto size = fs::file_size(errors_name_, failed);
        if (failed || size < reached_.error_bytes) {
            throw BadArgument("--errors: " + errors_name_ +
                              " is not the file of the import that --progress continues");
        }
        fs::resize_file(errors_name_, reached_.error_bytes, failed);
    }
    errors_.open(errors_name_, std::ios::binary | (again ? std::ios::app : std::ios::trunc));
    if (failed || !errors_) throw BadArgument("--errors: cannot write " + errors_name_);
}

void ImportFiles::reach(ImportProgress progress, const std::string& errors) {
    if (errors_.is_open()) {
        errors_ << errors << std::flush;
        if (!errors_) {
            throw std::runtime_error("the refused rows could not be written to " + errors_name_ +
                                     "; the file is incomplete");
        }
        progress.error_bytes = reached_.error_bytes + errors.size();
    }
    reached_ = progress;
    if (progress_name_.empty()) return;
    // Replaced as a whole: a killed import leaves the old or the new progress.
    const std::string fresh = progress_name_ + ".new";
    std::ofstream file(fresh, std::ios::binary | std::ios::trunc);
    file << progress_json(reached_) << std::flush;
    std::error_code failed;
    if (file) fs::rename(fresh, progress_name_, failed);
    if (!file || failed) throw BadArgument("--progress: cannot write " + progress_name_);
}

void ImportFiles::complete() {
    std::error_code ignored;
    if (!progress_name_.empty()) fs::remove(progress_name_, ignored);
}

}  // namespace sundial::cli
