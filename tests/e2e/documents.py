"""The documents of a running server: every page of the tree is reachable, every link and anchor leads somewhere, programs
get Markdown and browsers pages. usage: documents.py TEST ROOT    TEST: pages, quick_start"""
import glob
import os
import posixpath
import re
import subprocess

import harness as h

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
CODE = re.compile(r"^( *)```.*?^\1```", re.M | re.S)


def documents_of(root):
    """Paths of the documents in the tree."""
    found = [os.path.relpath(path, root) for path in glob.glob(os.path.join(root, "docs/**/*.md"), recursive=True)]
    return found + [f"{name}.md" for name in ("README", "ARCHITECTURE", "CONTRIBUTING", "CHANGELOG", "SECURITY")]


def place_of(path):
    """The address of a document, of a picture, or None for a source."""
    if path in ("docs/README.md", "docs"):
        return "/docs"
    if path == "openapi.json" or path.startswith("docs/pictures/"):
        return f"/{path}"
    if not path.endswith(".md"):
        return None
    name = path.removesuffix(".md")
    return f"/{name}" if name.startswith("docs/") else None if "/" in name else f"/docs/project/{name}"


def anchors_of(text):
    used, anchors = {}, set(re.findall(r'<a id="([\w-]+)">', text))
    for heading in re.findall(r"^#{1,6} (.+)$", CODE.sub("", text), re.M):
        words = re.sub(r"\]\([^)]*\)", "", heading)
        name = re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", words.lower()).strip())
        count = used.get(name, 0)
        used[name] = count + 1
        anchors.add(f"{name}-{count}" if count else name)
    return anchors


def links_of(text):
    """The links outside of code."""
    plain = re.sub(r"`[^`\n]*`", "", CODE.sub("", text))
    return re.findall(r"(?<!\w)!?\[[^\]]*\]\(([^)\s]+)\)", plain)


def check_links(texts, root):
    """texts: the address of each page: its text, and the path in the tree that its links are relative to."""
    anchors = {place: anchors_of(text) for place, (text, _) in texts.items()}
    checked, wrong = 0, []
    for place, (text, path) in texts.items():
        for link in links_of(text):
            if re.match(r"[a-z]+:", link):
                continue
            name, _, anchor = link.partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), name)) if name else path
            led = place_of(target)
            checked += 1
            if led is None:
                if not os.path.exists(os.path.join(root, target)):
                    wrong.append(f"{place}: {link} is not in the tree")
            elif led.endswith(".md") or not (led in texts or led == "/openapi.json" or led.startswith("/docs/pictures/")):
                wrong.append(f"{place}: {link} leads to {led}, which is no page")
            elif anchor and led in anchors and anchor not in anchors[led] and not (not name and anchor in anchors[place]):
                wrong.append(f"{place}: {led} has no anchor {anchor}")
    assert not wrong, "\n".join(wrong)
    return checked


def pages(root):
    with h.folder() as directory, h.running("dev", "--test-clock", "--users=0", "--db", "x.db", folder=directory) as server:
        client = server.client()
        listed = client.get("/llms.txt")
        assert listed.status == 200 and listed.headers["Content-Type"].startswith("text/plain"), listed.headers
        rows = re.findall(r"^- \[([^\]]+)\]\((/[^)]+\.md)\): (.+)$", listed.body.decode(), re.M)
        assert len(rows) == len(set(path for _, path, _ in rows)), "a page is listed twice"
        texts = {}
        for title, source, sentence in rows:
            assert len(sentence) > 5, f"{title} has no sentence"
            raw = client.get(source)
            assert raw.status == 200 and raw.headers["Content-Type"] == "text/markdown; charset=utf-8", (source, raw.status, raw.headers)
            unchanged = client.call("GET", source, headers={"If-None-Match": raw.headers["ETag"]})
            assert unchanged.status == 304 and not unchanged.body, source
            place = "/docs" if source == "/docs/README.md" else source.removesuffix(".md")
            page = client.call("GET", place, headers=BROWSER)
            assert page.status == 200 and page.headers["Content-Type"] == "text/html; charset=utf-8", (place, page.status)
            html = page.body.decode()
            assert "Sundial</title>" in html and "<main" in html and f'href="{source}"' in html, place
            assert not re.findall(r'(?:src|href)="(?!/|#|data:)[^"]*"', html), "a page asks another server"
            for link in re.findall(r'<link[^>]* href="(/ui/[^"]+)"|src="(/ui/[^"]+)"', html) if place == "/docs" else ():
                assert client.get(link[0] or link[1]).status == 200, link
            path = "docs/reference/errors.md" if place.startswith("/docs/errors/") else source[1:].replace("docs/project/", "")
            texts[place] = raw.body.decode(), path
        for path in documents_of(root):
            with open(os.path.join(root, path), encoding="utf-8") as file:
                assert texts[place_of(path)][0] == file.read(), path
        # The Markdown of errors is a part of one page: its own anchors are there.
        whole = {place: text for place, text in texts.items() if not place.startswith("/docs/errors/")}
        checked = check_links(whole, root)
        with open(os.path.join(root, "docs/README.md"), encoding="utf-8") as file:
            index = file.read()
        for path in documents_of(root):
            led = posixpath.relpath(path, "docs")
            assert f"]({led})" in index or path == "docs/README.md", f"docs/README.md does not list {path}"
        # A page for each error and each command.
        codes = client.ok("GET", "/openapi.json")["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]
        assert {f"/docs/errors/{code}" for code in codes} == {place for place in texts if place.startswith("/docs/errors/")}
        commands = subprocess.run([h.PROGRAM, "help", "--json"], capture_output=True, text=True, check=True, timeout=h.HANG_GUARD).stdout
        named = re.findall(r'"command":"([^"]+)"', commands)
        assert named and all(f"/docs/commands/{name.replace(' ', '-')}" in texts for name in named), named
        assert "GET /v1/events" in texts["/docs/commands/event-list"][0], "the request of a command"
        # All texts in one, compressed.
        full = client.call("GET", "/llms-full.txt", headers={"Accept-Encoding": "gzip"})
        assert full.headers["Content-Encoding"] == "gzip" and len(full.body) < 400_000, len(full.body)
        # Pictures, and what there is not.
        for picture in os.listdir(os.path.join(root, "docs/pictures")):
            answer = client.get(f"/docs/pictures/{picture}")
            with open(os.path.join(root, "docs/pictures", picture), "rb") as file:
                assert answer.body == file.read() and answer.headers["Content-Type"].startswith("image/"), picture
        with_slash = client.call("GET", "/docs/", headers=BROWSER)
        assert (with_slash.status, with_slash.headers["Location"]) == (303, "/docs"), with_slash
        missing = client.call("GET", "/docs/guide/nothing", headers=BROWSER)
        assert missing.status == 404 and b"No such page" in missing.body, missing.body
        for path in ("/docs/guide/nothing", "/docs/nothing.md", "/docs/pictures/nothing.png", "/docs/..%2fREADME.md"):
            answer = client.get(path)
            assert answer.status == 404 and answer.json()["code"] == "ROUTE_NOT_FOUND", (path, answer.body)
        # Programs read errors as before.
        assert client.get("/docs/errors/LOCK_HELD").body.startswith(b"## LOCK_HELD\n")
        assert client.call("GET", "/docs/errors", headers={"Accept": "text/markdown"}).headers["Content-Type"].startswith("text/markdown")
        print(f"{len(texts)} pages, {checked} links")


def quick_start(root):
    """The commands of README's five minutes, as they stand there, and the answers that they show."""
    with open(os.path.join(root, "README.md"), encoding="utf-8") as file:
        section = file.read().split("\n## Five minutes\n")[1].split("\n## ")[0]
    blocks = re.findall(r"^```sh\n(.*?)^```", section, re.M | re.S)
    assert len(blocks) == 5, blocks
    with h.folder() as directory, h.running("dev", "--test-clock", "--db", "x.db", folder=directory) as server:
        url = f"http://127.0.0.1:{server.port}"
        first, rest = blocks[0].split("\n", 1)
        assert first.startswith("./sundial-dev run --test-clock"), first
        assert "http://127.0.0.1:8080" in rest, rest
        os.makedirs(os.path.join(directory, "build/run/bin"))
        os.symlink(os.path.abspath(h.PROGRAM), os.path.join(directory, "build/run/bin/sundial"))
        lines = [line for block in (rest.replace("http://127.0.0.1:8080", url), *blocks[1:]) for line in block.splitlines()]
        # A comment shows the output of the command before it, with … for omitted text.
        script, shown = ["set -e"], []
        for line in lines:
            if not line.startswith("#"):
                script.append(line)
            elif shown and shown[-1][0] == len(script):
                shown[-1][1].append(line[1:])
            else:
                script.append(f"printf '\\n<{len(shown)}>\\n'")
                shown.append((len(script), [line[1:]]))
        environment = {**os.environ, "SUNDIAL_SERVER": url}
        done = subprocess.run(["bash", "-c", "\n".join(script)], cwd=directory, env=environment, capture_output=True, text=True,
                              timeout=h.HANG_GUARD, check=False)
        assert done.returncode == 0, done
        assert '"code":' not in done.stdout, done.stdout
        answers = re.split(r"\n<\d+>\n", done.stdout)
        assert len(answers) == len(shown) + 1, done.stdout
        for answer, (_, comments) in zip(answers, shown):
            at = 0
            for piece in " ".join(comments).split("(with ")[0].split("…"):
                for words in re.split(r",\s+(?=\")", piece.strip()):
                    found = answer.find(words.strip(), at)
                    assert found >= 0, f"README shows {words!r}, which the answer lacks: {answer}"
                    at = found
        assert '"webhook-id"' in answers[-1], answers[-1]
        server.stop()


if __name__ == "__main__":
    h.main({"pages": pages, "quick_start": quick_start})
