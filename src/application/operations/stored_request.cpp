#include "application/operations/stored_request.hpp"

#include "application/ports/failures.hpp"

namespace sundial {
namespace {

std::string unescaped(std::string_view text) {
    std::string value;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escaped = text[i] == '\\';
        if (escaped && ++i == text.size()) refuse_stored_request("a line ends within an escape");
        value += escaped && text[i] == 'n' ? '\n' : text[i];
    }
    return value;
}

}  // namespace

void StoredRequestWriter::add(std::string_view name, std::string_view value) {
    text_.append(name) += ' ';
    for (const char c : value) {
        if (c == '\\' || c == '\n') text_ += '\\';
        text_ += c == '\n' ? 'n' : c;
    }
    text_ += '\n';
}

StoredRequest::StoredRequest(std::string_view text) {
    while (!text.empty()) {
        const auto end = text.find('\n');
        const auto space = text.substr(0, end).find(' ');
        if (end == text.npos || space == text.npos) {
            refuse_stored_request("a line is not a name and a value");
        }
        lines_.emplace_back(text.substr(0, space),
                            unescaped(text.substr(space + 1, end - space - 1)));
        text.remove_prefix(end + 1);
    }
}

std::vector<std::string> StoredRequest::values(std::string_view name) const {
    std::vector<std::string> found;
    for (const auto& [key, value] : lines_) {
        if (key == name) found.push_back(value);
    }
    return found;
}

void refuse_stored_request(const std::string& what) {
    throw Corrupt{"the stored request of a bulk operation cannot be read: " + what};
}

}  // namespace sundial
