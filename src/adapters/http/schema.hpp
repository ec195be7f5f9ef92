#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/json.hpp"
#include "adapters/http/message.hpp"
#include "domain/error.hpp"

namespace sundial::http {

struct Operation {
    std::string method;   // upper case
    std::string pattern;  // "/v1/users/{id}"
    friend auto operator<=>(const Operation&, const Operation&) = default;
};

/// Validates requests against the OpenAPI document and refuses what the document does not allow.
/// Compiled once; thread-safe afterwards.
class ApiSchema {
public:
    /// Throws std::invalid_argument, naming the place, if the document contains a keyword that this
    /// class does not implement: ignoring it would leave requests unchecked.
    explicit ApiSchema(std::string_view openapi_json);
    ~ApiSchema();
    ApiSchema(ApiSchema&&) noexcept;
    ApiSchema& operator=(ApiSchema&&) noexcept;

    /// All operations of the document, sorted.
    [[nodiscard]] std::vector<Operation> operations() const;
    [[nodiscard]] bool has(const Operation& operation) const;

    /// Media types that a body may have; empty if the operation takes no body.
    [[nodiscard]] const std::vector<std::string>& request_types(const Operation& operation) const;
    [[nodiscard]] bool body_required(const Operation& operation) const;
    /// Header fields that can state the expected version: If-Match, and perhaps If-None-Match.
    /// Empty if the operation changes nothing that has a version.
    [[nodiscard]] const std::vector<std::string>& version_fields(const Operation& operation) const;
    /// Whether the operation requires an Idempotency-Key.
    [[nodiscard]] bool requires_key(const Operation& operation) const;
    /// For a batch, the member of its body whose items are validated one by one; otherwise empty.
    [[nodiscard]] const std::string& batch_of(const Operation& operation) const;
    /// Media types of its successful responses; empty if they have no body.
    [[nodiscard]] const std::vector<std::string>& response_types(const Operation& operation) const;

    /// The errors of the query, with pointers `?name`.
    [[nodiscard]] std::vector<FieldError> check_query(const Operation& operation,
                                                      const std::vector<Parameter>& query) const;
    /// The errors of the body, with JSON pointers into it, in the order of the body; missing
    /// members come last.
    [[nodiscard]] std::vector<FieldError> check_body(const Operation& operation,
                                                     const JsonBody& body) const;

private:
    struct Compiled;
    std::unique_ptr<const Compiled> compiled_;
};

}  // namespace sundial::http
