#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "adapters/http/schema_node.hpp"

namespace sundial::http {

/// Compiles the schemas of one document into nodes, each `$ref` once (so they may form cycles).
/// Every function throws std::invalid_argument, naming the place, for anything it does not
/// implement.
class SchemaCompiler {
public:
    /// Keeps a reference to `document`. `nodes` owns the nodes.
    SchemaCompiler(const boost::json::value& document, std::deque<SchemaNode>& nodes)
        : document_(document), nodes_(nodes) {}

    [[nodiscard]] const SchemaNode* compile(const boost::json::value& schema,
                                            const std::string& place);

    /// `value` itself, or the target of its `$ref`.
    [[nodiscard]] const boost::json::value& resolved(const boost::json::value& value,
                                                     const std::string& place) const;

private:
    void fill(SchemaNode& node, const boost::json::value& schema, const std::string& place);
    void fill_member(SchemaNode& node, std::string_view keyword, const boost::json::value& value,
                     const std::string& place);

    const boost::json::value& document_;
    std::deque<SchemaNode>& nodes_;
    std::map<std::string, const SchemaNode*, std::less<>> by_reference_;
};

[[noreturn]] void refuse_document(const std::string& place, const std::string& why);

}  // namespace sundial::http
