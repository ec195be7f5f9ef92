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

/// The OpenAPI document as the judge of requests: what it does not allow is refused. Compiled once;
/// thread-safe afterwards.
class ApiSchema {
public:
    /// Throws std::invalid_argument, naming the place, if the document is not one we can obey in
    /// full: a keyword that we would ignore is an error, not a hole.
    explicit ApiSchema(std::string_view openapi_json);
    ~ApiSchema();
    ApiSchema(ApiSchema&&) noexcept;
    ApiSchema& operator=(ApiSchema&&) noexcept;

    /// Everything that the document promises, sorted.
    [[nodiscard]] std::vector<Operation> operations() const;
    [[nodiscard]] bool has(const Operation& operation) const;

    /// Media types that a body may have; empty: the operation takes none.
    [[nodiscard]] const std::vector<std::string>& request_types(const Operation& operation) const;
    [[nodiscard]] bool body_required(const Operation& operation) const;
    /// Header fields by which it can be told which version it is meant for: If-Match, and perhaps
    /// If-None-Match. None: it changes nothing that has a version.
    [[nodiscard]] const std::vector<std::string>& version_fields(const Operation& operation) const;
    /// Whether it is for nobody without an Idempotency-Key.
    [[nodiscard]] bool requires_key(const Operation& operation) const;
    /// Of a batch, the member of its body whose items are judged each for itself; else empty.
    [[nodiscard]] const std::string& batch_of(const Operation& operation) const;
    /// Media types of its successful answers; empty: they have no body.
    [[nodiscard]] const std::vector<std::string>& response_types(const Operation& operation) const;

    /// What is wrong with the query, by pointers `?name`.
    [[nodiscard]] std::vector<FieldError> check_query(const Operation& operation,
                                                      const std::vector<Parameter>& query) const;
    /// What is wrong with the body, by JSON pointers into it, in the order of the body; what is
    /// missing comes last.
    [[nodiscard]] std::vector<FieldError> check_body(const Operation& operation,
                                                     const JsonBody& body) const;

private:
    struct Compiled;
    std::unique_ptr<const Compiled> compiled_;
};

}  // namespace sundial::http
