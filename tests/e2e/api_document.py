"""The document and the router agree: whatever openapi.json promises is answered by its route.

(The other direction is proven by every start: a route that the document lacks is refused there.)
"""
import json
import sys

import harness as h


def main():
    with h.folder() as directory, h.running("dev", "--test-clock", "--users=1", "--db", "x.db", folder=directory) as server:
        client = server.client()
        document = client.ok("GET", "/openapi.json")
        with open(sys.argv[1]) as file:
            assert document == json.load(file), "what is served is not the document of the repository"
        operations = 0
        for path, methods in document["paths"].items():
            for method in methods:
                answer = client.call(method.upper(), path.replace("{id}", "ext:nobody").replace("{code}", "NOT_READY"))
                code = answer.json().get("code") if answer.headers.get("Content-Type", "").endswith("json") else None
                assert code not in ("ROUTE_NOT_FOUND", "METHOD_NOT_ALLOWED"), f"{method} {path}: {answer.body}"
                assert str(answer.status) in methods[method]["responses"], f"{method} {path} answered {answer.status}"
                operations += 1
        # An error leads to what it means.
        problem = client.call("GET", "/v1/users/ext:nobody").json()
        meaning = client.call("GET", problem["type"])
        assert meaning.status == 200 and meaning.body.startswith(b"## USER_NOT_FOUND\n"), meaning.body
        assert client.call("GET", "/docs/errors/NO_SUCH").status == 404
        # The time that the default lease leaves for a request.
        wanted = {"name": "x", "type": "WEBHOOK", "url": "https://x.invalid/", "timeout": "PT30S"}
        assert "PT1S to PT20S" in client.call("POST", "/v1/endpoints", wanted).json()["errors"][0]["message"]
        assert client.call("POST", "/v1/endpoints", {**wanted, "timeout": "PT20S"}).status == 201
        for name in ("NewEndpoint", "EndpointPatch"):
            assert "which is PT20S" in document["components"]["schemas"][name]["properties"]["timeout"]["description"], name
        print(f"{operations} operations of the document are answered, each with a status that it names")


if __name__ == "__main__":
    main()
