"""The document and the router agree: whatever openapi.json promises is answered by its route.

(The other direction is proven by every start: a route that the document lacks is refused there.)
"""
import json
import re
import sys

import harness as h


def check_codes(client, document):
    """The codes of the document are those that the page of errors explains, which has every code of the program."""
    schemas = document["components"]["schemas"]
    page = client.get("/docs/errors").body.decode()
    codes = schemas["Problem"]["properties"]["code"]["enum"]
    assert sorted(codes) == sorted(re.findall(r"^## (\w+)$", page, re.M)), codes
    shown = set()
    for name, response in document["components"]["responses"].items():
        _, of_status = response["content"]["application/problem+json"]["schema"]["allOf"]
        for code in of_status["properties"]["code"]["enum"]:
            section = page.split(f"## {code}\n")[1].split("\n## ")[0]
            assert f"**{re.search('[0-9]+', name)[0]}**" in section, f"{name} with {code}"
            shown.add(code)
    assert set(codes) - shown == {"METHOD_NOT_ALLOWED", "URI_TOO_LONG", "HEADERS_TOO_LARGE"}, "any path can answer these"
    in_words = page.split("Codes of `errors[]`")[1].split("##")[0]
    assert set(schemas["FieldError"]["properties"]["code"]["enum"]) == set(re.findall(r"`(\w+)`", in_words)), in_words


def main():
    with h.folder() as directory, h.running("dev", "--test-clock", "--users=1", "--db", "x.db", folder=directory) as server:
        client = server.client()
        document = client.ok("GET", "/openapi.json")
        with open(sys.argv[1]) as file:
            assert document == json.load(file), "what is served is not the document of the repository"
        script = re.search(r"/ui/([0-9a-f]+)/app\.js", client.get("/ui/").body.decode())
        operations = 0
        for path, methods in document["paths"].items():
            for method in methods:
                answer = client.call(method.upper(), path.replace("{id}", "ext:nobody").replace("{code}", "NOT_READY")
                                     .replace("{version}", script.group(1)).replace("{file}", "app.js")
                                     .replace("{folder}", "guide").replace("{page}", "locks" if "{folder}" in path else "operating"))
                code = answer.json().get("code") if answer.headers.get("Content-Type", "").endswith("json") else None
                assert code not in ("ROUTE_NOT_FOUND", "METHOD_NOT_ALLOWED"), f"{method} {path}: {answer.body}"
                assert str(answer.status) in methods[method]["responses"], f"{method} {path} answered {answer.status}"
                operations += 1
        check_codes(client, document)
        # A browser finds the rest from the start page.
        page = client.get("/")
        assert page.headers["Content-Type"] == "text/html; charset=utf-8" and b"<h1>Sundial</h1>" in page.body, page.body
        for link in re.findall(r'href="([^"]+)"', page.body.decode()):
            assert client.get(link).status == 200, link
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
