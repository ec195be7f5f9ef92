#include "adapters/http/schema.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <deque>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "adapters/http/schema_compiler.hpp"
#include "base/check.hpp"

namespace sundial::http {
namespace {

namespace bj = boost::json;

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> methods{
    {{"get", "GET"}, {"post", "POST"}, {"put", "PUT"}, {"patch", "PATCH"}, {"delete", "DELETE"}}};

struct QueryParameter {
    const SchemaNode* schema;
    bool required;
};

struct CompiledOperation {
    std::vector<std::string> request_types;
    std::vector<std::string> response_types;
    bool body_required = false;
    std::vector<std::string> version_fields;
    bool requires_key = false;
    std::string batch;
    const SchemaNode* body = nullptr;
    std::map<std::string, QueryParameter, std::less<>> query;
};

const bj::value& member(const bj::value& value, std::string_view name, const std::string& place) {
    const bj::value* found = value.is_object() ? value.get_object().if_contains(name) : nullptr;
    if (found == nullptr) refuse_document(place, "has no '" + std::string(name) + "'");
    return *found;
}

bool flag(const bj::value& value, std::string_view name) {
    const bj::value* found = value.is_object() ? value.get_object().if_contains(name) : nullptr;
    return found != nullptr && found->is_bool() && found->get_bool();
}

void read_parameters(SchemaCompiler& compiler, const bj::value& operation, const std::string& place,
                     CompiledOperation& compiled) {
    const bj::value* parameters = operation.as_object().if_contains("parameters");
    if (parameters == nullptr) return;
    for (const bj::value& written : parameters->as_array()) {
        const bj::value& parameter = compiler.resolved(written, place + "/parameters");
        const std::string name(member(parameter, "name", place).as_string());
        const std::string_view where = member(parameter, "in", place).as_string();
        const bool of_version = name == "If-Match" || name == "If-None-Match";
        if (where == "header" && of_version) compiled.version_fields.push_back(name);
        if (where == "header" && name == "Idempotency-Key") {
            compiled.requires_key = flag(parameter, "required");
        }
        if (where != "query") continue;
        std::string at = place;
        at += '?';
        at += name;
        compiled.query[name] = {compiler.compile(member(parameter, "schema", at), at),
                                flag(parameter, "required")};
    }
}

void read_body(SchemaCompiler& compiler, const bj::value& operation, const std::string& place,
               CompiledOperation& compiled) {
    const bj::value* written = operation.as_object().if_contains("requestBody");
    if (written == nullptr) return;
    const std::string at = place + "/requestBody";
    const bj::value& body = compiler.resolved(*written, at);
    compiled.body_required = flag(body, "required");
    const bj::value* first = nullptr;
    for (const auto& media : member(body, "content", at).as_object()) {
        const bj::value& schema = member(media.value(), "schema", at);
        if (first == nullptr) {
            first = &schema;
            compiled.body = compiler.compile(schema, at);
        } else if (schema != *first) {
            refuse_document(at, "all media types must have one schema");
        }
        compiled.request_types.emplace_back(media.key());
    }
}

void read_answers(const SchemaCompiler& compiler, const bj::value& operation,
                  const std::string& place, CompiledOperation& compiled) {
    std::set<std::string> types;
    for (const auto& response : member(operation, "responses", place).as_object()) {
        if (!response.key().starts_with("2")) continue;
        const bj::value& answer = compiler.resolved(response.value(), place + "/responses");
        const bj::value* content = answer.as_object().if_contains("content");
        if (content == nullptr) continue;
        for (const auto& media : content->as_object()) types.emplace(media.key());
    }
    compiled.response_types.assign(types.begin(), types.end());
}

CompiledOperation compile_operation(SchemaCompiler& compiler, const bj::value& path,
                                    const bj::value& operation, const std::string& place) {
    CompiledOperation compiled;
    read_parameters(compiler, path, place,
                    compiled);  // parameters shared by all methods of the path
    read_parameters(compiler, operation, place, compiled);
    read_body(compiler, operation, place, compiled);
    read_answers(compiler, operation, place, compiled);
    if (const bj::value* batch = operation.as_object().if_contains("x-sundial-batch")) {
        compiled.batch = std::string(batch->as_string());
    }
    return compiled;
}

std::string unknown_parameter(std::string_view name,
                              const std::map<std::string, QueryParameter, std::less<>>& known) {
    std::vector<std::string> names;
    names.reserve(known.size());
    for (const auto& one : known) names.push_back(one.first);
    std::string hint = suggestion(name, names);
    if (hint.empty()) {
        for (const std::string& one : names) {
            hint += (hint.empty() ? "; known are '" : ", '") + one + "'";
        }
    }
    return "is not a query parameter here" + hint;
}

}  // namespace

struct ApiSchema::Compiled {
    std::deque<SchemaNode> nodes;  // a deque, because nodes contain pointers to each other
    std::map<Operation, CompiledOperation> operations;

    [[nodiscard]] const CompiledOperation& at(const Operation& operation) const {
        const auto found = operations.find(operation);
        base::check(found != operations.end());
        return found->second;
    }
};

ApiSchema::ApiSchema(std::string_view openapi_json) {
    auto compiled = std::make_unique<Compiled>();
    try {
        const bj::value document = bj::parse({openapi_json.data(), openapi_json.size()});
        SchemaCompiler compiler(document, compiled->nodes);
        for (const auto& path : member(document, "paths", "the document").as_object()) {
            const std::string pattern(path.key());
            for (const auto& [key, method] : methods) {
                const bj::value* operation = path.value().as_object().if_contains(key);
                if (operation == nullptr) continue;
                const std::string place = std::string(method) + " " + pattern;
                compiled->operations.emplace(
                    Operation{std::string(method), pattern},
                    compile_operation(compiler, path.value(), *operation, place));
            }
        }
    } catch (const bj::system_error& error) {
        throw std::invalid_argument(std::string("openapi.json cannot be read: ") + error.what());
    } catch (const std::regex_error& error) {
        throw std::invalid_argument(std::string("openapi.json has a bad pattern: ") + error.what());
    }
    compiled_ = std::move(compiled);
}

ApiSchema::~ApiSchema() = default;
ApiSchema::ApiSchema(ApiSchema&&) noexcept = default;
ApiSchema& ApiSchema::operator=(ApiSchema&&) noexcept = default;

std::vector<Operation> ApiSchema::operations() const {
    std::vector<Operation> operations;
    operations.reserve(compiled_->operations.size());
    for (const auto& one : compiled_->operations) operations.push_back(one.first);
    return operations;
}

bool ApiSchema::has(const Operation& operation) const {
    return compiled_->operations.contains(operation);
}

const std::vector<std::string>& ApiSchema::request_types(const Operation& operation) const {
    return compiled_->at(operation).request_types;
}

bool ApiSchema::body_required(const Operation& operation) const {
    return compiled_->at(operation).body_required;
}

const std::vector<std::string>& ApiSchema::version_fields(const Operation& operation) const {
    return compiled_->at(operation).version_fields;
}

bool ApiSchema::requires_key(const Operation& operation) const {
    return compiled_->at(operation).requires_key;
}

const std::string& ApiSchema::batch_of(const Operation& operation) const {
    return compiled_->at(operation).batch;
}

const std::vector<std::string>& ApiSchema::response_types(const Operation& operation) const {
    return compiled_->at(operation).response_types;
}

std::vector<FieldError> ApiSchema::check_query(const Operation& operation,
                                               const std::vector<Parameter>& query) const {
    const auto& known = compiled_->at(operation).query;
    std::vector<FieldError> errors;
    std::set<std::string_view> seen;
    for (const auto& [name, value] : query) {
        const std::string pointer = '?' + name;
        const auto parameter = known.find(name);
        if (parameter == known.end()) {
            errors.push_back({pointer, "unknown_member", unknown_parameter(name, known)});
        } else if (!seen.insert(name).second) {
            errors.push_back({pointer, "not_allowed", "is given twice; give it once"});
        } else {
            check_text(*parameter->second.schema, value, pointer, errors);
        }
    }
    for (const auto& [name, parameter] : known) {
        if (parameter.required && !seen.contains(name)) {
            errors.push_back({'?' + name, "required", "is required"});
        }
    }
    return errors;
}

std::vector<FieldError> ApiSchema::check_body(const Operation& operation,
                                              const JsonBody& body) const {
    const SchemaNode* schema = compiled_->at(operation).body;
    std::vector<FieldError> errors;
    if (schema != nullptr) check_value(*schema, body.value(), "", errors);
    return errors;
}

}  // namespace sundial::http
