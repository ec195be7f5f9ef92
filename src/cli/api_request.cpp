#include "cli/api_request.hpp"

#include <algorithm>
#include <fstream>
#include <istream>
#include <memory>
#include <optional>
#include <sstream>

#include "base/json.hpp"
#include "cli/json_text.hpp"
#include "cli/output.hpp"

namespace sundial::cli {
namespace {

std::string as_json_string(std::string_view text) {
    std::string json;
    base::append_json_string(json, text);
    return json;
}

bool is_whole_number(std::string_view text) {
    const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
    // In JSON's form: 007 is not a number, and -0 would be a second text for 0.
    if (digits.starts_with('0') && text != "0") return false;
    return !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos;
}

std::string joined_by_commas(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : ",") + text;
    return all;
}

std::string array_of(std::string_view words) {
    base::JsonWriter json;
    json.begin_array();
    while (!words.empty()) {
        const auto comma = words.find(',');
        json.value(words.substr(0, comma));
        words = comma == words.npos ? std::string_view{} : words.substr(comma + 1);
    }
    return std::move(json.end_array()).text();
}

/// Text, or the content of @FILE.
std::string content_of(const std::string& text, const FileReader& read) {
    if (text == "-") return read("-");
    return text.starts_with('@') ? read(text.substr(1)) : text;
}

std::string checked_json(const std::string& name, const std::string& text) {
    const std::string error = json_error(text);
    if (error.empty()) return text;
    throw BadArgument(name + ": the JSON " + error +
                      ". Give a JSON value, such as '{\"a\":1}' or '\"text\"', or @FILE, or - for "
                      "standard input");
}

class RequestMaker {
public:
    RequestMaker(const ApiCommand& command, const Given& given, const FileReader& read)
        : command_(command), given_(given), read_(read) {}

    ApiRequest run() {
        ApiRequest request{.method = command_.method,
                           .path = filled(command_, command_.path, given_, true)};
        const bool takes_body = needs_body();
        if (command_.whole_body && given_.contains("--data")) {
            const std::string data =
                checked_json("--data", content_of(first_of(given_, "--data"), read_));
            if (members_of(data).empty() && !data.starts_with('{'))
                throw BadArgument("--data: give a JSON object");
            whole_ = data;
            body_.set("", data);
        }
        for (const FixedMember& parameter : command_.fixed_query)
            request.set_query(parameter.path, parameter.json);
        for (const FixedMember& member : command_.fixed) set_body(member.path, member.json);
        for (const Argument& argument : command_.arguments) add(argument, request);
        add_unset();
        if (command_.method == "PATCH" && body_.empty() && whole_.empty() && request.query.empty())
            throw BadArgument("say what to change: see --help for its flags");
        if (command_.versioned) {
            const std::string version = first_of(given_, "--if-match", "*");
            if (version != "*" && !is_whole_number(version))
                throw BadArgument("--if-match: '" + version + "' is not a version, such as 3");
            request.headers.push_back("If-Match: " +
                                      (version == "*" ? version : '"' + version + '"'));
        }
        if (const std::string key = first_of(given_, "--request-key"); !key.empty())
            request.headers.push_back("Idempotency-Key: " + key);
        if (takes_body) request.body = whole_.empty() ? body_.text() : whole_;
        return request;
    }

private:
    [[nodiscard]] bool needs_body() const {
        return command_.whole_body || !command_.fixed.empty() ||
               std::ranges::any_of(command_.arguments, [](const Argument& argument) {
                   return argument.place == Place::body;
               });
    }
    void set_body(std::string_view path, std::string json) {
        whole_.clear();  // a flag has changed it
        body_.set(path, std::move(json));
    }

    void add(const Argument& argument, ApiRequest& request) {
        const std::string key = key_of(argument);
        const auto found = given_.find(key);
        if (found == given_.end() && argument.required && !given_.contains("--data"))
            throw BadArgument(key + " is required" + (command_.whole_body ? ", or --data" : ""));
        if (found == given_.end() && argument.fallback.empty()) return;
        std::string text =
            found == given_.end() ? argument.fallback : joined_by_commas(found->second);
        if (text == "true" && !argument.sends.empty()) text = argument.sends;
        switch (argument.place) {
            case Place::path:
                return;  // filled in already
            case Place::query:
                check(key, argument, text);
                request.set_query(argument.member, text);
                return;
            case Place::header:
                request.headers.push_back(argument.member + ": " + text);
                return;
            case Place::body:
                add_to_body(key, argument, text);
        }
    }
    static void check(const std::string& key, const Argument& argument, const std::string& text) {
        if (argument.kind == ValueKind::number && !is_whole_number(text))
            throw BadArgument(key + ": '" + text + "' is not a whole number, such as 10");
    }
    void add_to_body(const std::string& key, const Argument& argument, const std::string& text) {
        check(key, argument, text);
        switch (argument.kind) {
            case ValueKind::text:
                return set_body(argument.member, as_json_string(text));
            case ValueKind::number:
            case ValueKind::flag:
                return set_body(argument.member, text);
            case ValueKind::words:
                return set_body(argument.member, array_of(text));
            case ValueKind::json:
                return set_body(argument.member, checked_json(key, content_of(text, read_)));
            case ValueKind::file:
                whole_ = checked_json(key, read_(text));
                return;
            case ValueKind::document:
                return set_body(argument.member,
                                as_json_string(without_line_end(content_of(text, read_))));
            case ValueKind::version:
                return set_body(argument.member,
                                is_whole_number(text) ? text : as_json_string(text));
            case ValueKind::moment:
                return set_body(argument.member + (is_instant(text) ? "UTC" : "Local"),
                                as_json_string(text));
        }
    }
    static std::string without_line_end(std::string text) {
        while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
        return text;
    }
    /// --unset names flags or members; each becomes null.
    void add_unset() {
        const auto found = given_.find("--unset");
        if (found == given_.end()) return;
        std::istringstream words(joined_by_commas(found->second));
        for (std::string word; std::getline(words, word, ',');) {
            const auto named =
                std::ranges::find_if(command_.arguments, [&](const Argument& argument) {
                    return argument.place == Place::body &&
                           (argument.member == word || key_of(argument) == "--" + word ||
                            key_of(argument) == word);
                });
            if (named == command_.arguments.end())
                throw BadArgument("--unset: '" + word + "' is not a member that this command sets");
            set_body(named->member, "null");
        }
    }

    const ApiCommand& command_;
    const Given& given_;
    const FileReader& read_;
    JsonTree body_;
    std::string whole_;  // the body byte for byte, if the command line has it in one piece
};

}  // namespace

// An instant ends in Z or an offset, or begins with now. Any other time is local.
bool is_instant(std::string_view text) {
    if (text.starts_with("now") || text.ends_with('Z') || text.ends_with('z')) return true;
    const auto time = text.find('T');
    return time != text.npos && text.find_first_of("+-", time) != text.npos;
}

std::string ApiRequest::target() const {
    std::string text = path;
    for (const auto& [name, value] : query) {
        text += (text.size() == path.size() ? '?' : '&') + name + '=' + query_text(value);
    }
    return text;
}

void ApiRequest::set_query(std::string_view name, std::string value) {
    const auto found =
        std::ranges::find(query, name, [](const auto& pair) -> auto& { return pair.first; });
    if (found == query.end()) {
        query.emplace_back(name, std::move(value));
    } else {
        found->second = std::move(value);
    }
}

FileReader files_and(std::istream& standard_input) {
    return [&standard_input, used = std::make_shared<bool>(false)](const std::string& file) {
        std::ostringstream text;
        if (file == "-") {
            if (std::exchange(*used, true))
                throw BadArgument("-: standard input can be read only once");
            text << standard_input.rdbuf();
        } else if (std::ifstream stream(file, std::ios::binary); stream) {
            text << stream.rdbuf();
        } else {
            throw BadArgument("cannot read " + file);
        }
        return std::move(text).str();
    };
}

ApiRequest make_request(const ApiCommand& command, const Given& given, const FileReader& read) {
    return RequestMaker(command, given, read).run();
}

std::string filled(const ApiCommand& command, std::string_view text, const Given& given,
                   bool escape) {
    std::string result;
    for (;;) {
        const auto open = text.find('{');
        const auto close = text.find('}', open);
        result += text.substr(0, open);
        if (open == text.npos || close == text.npos) return result;
        const std::string_view name = text.substr(open + 1, close - open - 1);
        const auto argument = std::ranges::find_if(command.arguments, [&](const Argument& one) {
            return one.name == name || (one.place == Place::path && one.member == name);
        });
        const std::string value =
            argument == command.arguments.end() ? "" : first_of(given, key_of(*argument));
        const bool is_given =
            argument != command.arguments.end() && given.contains(key_of(*argument));
        result += escape && is_given ? path_text(value) : value;
        text.remove_prefix(close + 1);
    }
}

std::string argument_of(const ApiCommand& command, std::string_view pointer) {
    const bool in_query = pointer.starts_with('?');
    std::string member{pointer.substr(in_query || pointer.starts_with('/') ? 1 : 0)};
    std::ranges::replace(member, '/', '.');
    const auto is_meant = [&](const Argument& argument) {
        if ((argument.place == Place::query) != in_query || argument.member.empty()) return false;
        const bool moment = argument.kind == ValueKind::moment;
        return argument.member == member || (moment && (argument.member + "UTC" == member ||
                                                        argument.member + "Local" == member));
    };
    // An argument of JSON has members of its own: `/metadata/n` is in --metadata.
    for (std::string rest;;) {
        const auto found = std::ranges::find_if(command.arguments, is_meant);
        if (found != command.arguments.end()) {
            return key_of(*found) + (rest.empty() ? "" : " at " + rest);
        }
        const auto dot = member.rfind('.');
        if (dot == std::string::npos) return std::string(pointer);
        if (!rest.empty()) rest.insert(0, 1, '.');
        rest.insert(0, member, dot + 1);
        member.resize(dot);
    }
}

std::string first_of(const Given& given, std::string_view name, std::string_view otherwise) {
    const auto found = given.find(name);
    return found == given.end() || found->second.empty() ? std::string(otherwise)
                                                         : found->second.front();
}

std::string key_of(const Argument& argument) {
    std::string name = argument.name.substr(0, argument.name.find(','));
    return name;
}

}  // namespace sundial::cli
