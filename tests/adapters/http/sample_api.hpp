#pragma once

#include <string_view>

namespace sundial::http {

/// A small OpenAPI document that uses every keyword we implement.
inline constexpr std::string_view sample_api = R"json({
  "openapi": "3.1.0",
  "info": {"title": "sample", "version": "1"},
  "paths": {
    "/livez": {"get": {"responses": {"200": {"description": "alive",
      "content": {"text/plain": {}}}}}},
    "/v1/users": {
      "parameters": [{"$ref": "#/components/parameters/tenant"}],
      "get": {
        "parameters": [
          {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 500}},
          {"name": "ratio", "in": "query", "schema": {"type": "number", "minimum": 0}},
          {"name": "late", "in": "query", "schema": {"type": "boolean"}},
          {"name": "status", "in": "query", "explode": false,
           "schema": {"type": "array", "maxItems": 3, "items": {"$ref": "#/components/schemas/status"}}},
          {"name": "If-Match", "in": "header", "schema": {"type": "string"}}],
        "responses": {"200": {"$ref": "#/components/responses/list"}}},
      "post": {
        "requestBody": {"required": true, "content": {
          "application/json": {"schema": {"$ref": "#/components/schemas/user"}}}},
        "responses": {"201": {"content": {"application/json": {}}},
                      "400": {"content": {"application/problem+json": {}}}}}},
    "/v1/users/{id}": {
      "get": {"responses": {"200": {"content": {"application/json": {}}}}},
      "patch": {
        "requestBody": {"required": true, "content": {
          "application/merge-patch+json": {"schema": {"$ref": "#/components/schemas/user"}},
          "application/json": {"schema": {"$ref": "#/components/schemas/user"}}}},
        "responses": {"200": {"content": {"application/json": {}}}}},
      "delete": {"responses": {"204": {}}}},
    "/v1/users/me": {"get": {"responses": {"200": {"content": {"application/json": {}}}}}},
    "/v1/tick": {"post": {
      "requestBody": {"content": {"application/json": {"schema": {
        "type": "object", "properties": {"limit": {"type": "integer"}}, "additionalProperties": false}}}},
      "responses": {"200": {"content": {"application/json": {}}}}}}
  },
  "components": {
    "parameters": {"tenant": {"name": "tenant", "in": "query", "schema": {"type": "string", "maxLength": 3}}},
    "responses": {"list": {"content": {"application/json": {}, "text/csv": {}}}},
    "schemas": {
      "status": {"type": "string", "enum": ["PENDING", "PROCESSING", "COMPLETED"]},
      "key": {"type": "string", "pattern": "^[a-z_]+$", "maxLength": 8, "minLength": 3},
      "user": {
        "type": "object", "description": "a person", "additionalProperties": false,
        "required": ["name"],
        "properties": {
          "name": {"type": "string", "minLength": 1, "maxLength": 5, "examples": ["Ada"]},
          "age": {"type": "integer", "minimum": 0, "maximum": 150},
          "score": {"type": ["number", "null"], "maximum": 10},
          "key": {"$ref": "#/components/schemas/key", "description": "its key"},
          "status": {"$ref": "#/components/schemas/status"},
          "kind": {"type": "string", "const": "person"},
          "color": {"type": ["string", "null"], "enum": ["red", null]},
          "dates": {"type": "object", "propertyNames": {"$ref": "#/components/schemas/key"},
                    "additionalProperties": {"type": "string", "format": "date"},
                    "minProperties": 1, "maxProperties": 2},
          "tags": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "string"}},
          "friend": {"$ref": "#/components/schemas/user"},
          "retry": {"oneOf": [
            {"type": "string", "enum": ["standard", "seed"]},
            {"type": "object", "additionalProperties": false, "required": ["delays"],
             "properties": {"delays": {"type": "array", "items": {"type": "string"}}}},
            {"type": "object", "additionalProperties": false, "required": ["max", "step"],
             "properties": {"max": {"type": "integer"}, "step": {"type": "integer"}}}]},
          "either": {"oneOf": [{"type": "object"}, {"type": "object", "maxProperties": 1}]},
          "any": {"anyOf": [{"type": "integer", "minimum": 5}, {"type": "boolean"}]},
          "both": {"allOf": [{"type": "integer", "minimum": 5}, {"maximum": 7}]},
          "payload": true
        }}
    }
  }
})json";

}  // namespace sundial::http
