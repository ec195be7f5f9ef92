"""The command table against openapi.json: each operation has a command, and each text that is made of the table is
right: help, man pages, completion, docs/reference/cli.md."""
import json
import os
import shutil
import subprocess
import sys

from commands import all_commands, flags_of, manual, operations_of
import harness as h

# Sessions are the cookies of browsers, the console is a page, and the live changes come without an end: `event watch` and
# `feed follow` show them.
FOR_BROWSERS = {"logIn", "getSession", "logOut", "followLive", "getConsolePath", "getDocsWithSlash", "getConsole", "getConsoleFile"}
COMMENT = "<!-- The rest of this section is the output of `sundial help --markdown`. -->\n"


def run(*arguments, **more):
    return subprocess.run([h.PROGRAM, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=h.HANG_GUARD, check=False, **more)


def operations_of_api(document):
    with open(document) as file:
        paths = json.load(file)["paths"]
    return {operation["operationId"] for path in paths.values() for method, operation in path.items()
            if method in ("get", "put", "post", "patch", "delete")}


def every_operation(document):
    performed = set().union(*(operations_of(command) for command in all_commands()))
    wanted = operations_of_api(document)
    wanted -= FOR_BROWSERS
    assert performed == wanted, {"without a command": sorted(wanted - performed), "of no operation": sorted(performed - wanted)}
    for command in all_commands():
        assert bool(operations_of(command)) == ("--server" in flags_of(command)), (command, "asks a server?")
    print(f"{len(wanted)} operations, {len(all_commands())} commands")


def conventions():
    """Lists page, sort and print CSV alike; what changes something can be tried and, where it destroys, asks."""
    for command, entry in manual().items():
        flags = flags_of(command)
        assert entry["help"], command
        if "--limit" in flags and "--all" in flags:
            assert {"--csv", "--json", "--watch", "--interval"} <= flags, command
        if "--server" in flags:
            assert {"--api-key", "--ca-file", "--cert-file", "--key-file", "--json", "--no-color"} <= flags, command
        if command[-1] in ("delete", "clear", "cancel", "revoke", "dismiss"):
            assert {"--yes", "--dry-run"} <= flags, command
        if "--yes" in flags:
            assert "--dry-run" in flags, command
        for flag in entry["flags"]:
            assert flag["help"] or flag["positional"], (command, flag)


def help_texts():
    nouns = {command[:1] for command in all_commands() if len(command) > 1}
    for words in [*all_commands(), *sorted(nouns)]:
        by_word, by_flag = run("help", *words), run(*words, "--help")
        assert by_word.returncode == by_flag.returncode == 0 and by_word.stdout == by_flag.stdout, words
    assert run("help").stdout == run("--help").stdout
    wrong = run("help", "evnt")
    assert wrong.returncode == 2 and "did you mean 'event'?" in wrong.stderr, wrong
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SUNDIAL") and name != "PORT"}
    shown = run("serve", "--help", env=clean).stdout
    listen = shown[shown.index("--http.listen"):shown.index("--http.tls_cert")]
    assert "127.0.0.1:8080" in listen and "SUNDIAL_HTTP_LISTEN" in listen, listen
    shown = run("serve", "--help", env=clean | {"SUNDIAL_HTTP_LISTEN": "127.0.0.1:1"}).stdout
    listen = shown[shown.index("--http.listen"):shown.index("--http.tls_cert")]
    assert "now 127.0.0.1:1" in listen and "from SUNDIAL_HTTP_LISTEN" in listen, listen
    shown = run("event", "list", "--help", env=clean).stdout
    assert "SUNDIAL_SERVER" in shown and "http://127.0.0.1:8080" in shown, shown


def formatted(paths):
    """As `man` shows them: one by itself, and all with the formatter that it calls, in one process."""
    environment = os.environ | {"LC_ALL": "C.UTF-8", "MANWIDTH": "100"}
    commands = {"man": ["man", "--warnings", "-l", "-E", "UTF-8", "-P", "cat", paths[0]],
                "groff": ["groff", "-wmac", "-man", "-t", "-Kutf8", "-Tutf8", "-rLL=100n", *paths]}
    for program, command in commands.items():
        if not shutil.which(program):
            continue
        shown = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=h.HANG_GUARD, check=False)
        assert shown.returncode == 0 and not shown.stderr, (program, shown.stderr)
        for path in paths if program == "groff" else paths[:1]:
            assert os.path.basename(path).removesuffix(".1") in shown.stdout, (program, path)


def man_pages():
    with h.folder() as directory:
        done = run("man", "--directory", directory)
        assert done.returncode == 0, done
        pages = sorted(os.listdir(directory))
        assert "sundial.1" in pages and "sundial-event.1" in pages, pages
        for page in pages:
            path = os.path.join(directory, page)
            with open(path) as file:
                text = file.read()
            name = page.removesuffix(".1").partition("-")[2]
            assert text == run("man", *([name] if name else [])).stdout, page
            if shutil.which("mandoc"):
                shown = subprocess.run(["mandoc", "-Tlint", "-Wwarning", path], capture_output=True, text=True, timeout=h.HANG_GUARD,
                                       check=False)
                assert shown.returncode == 0, (page, shown.stdout)
        formatted([os.path.join(directory, page) for page in pages])
        with open(os.path.join(directory, "sundial-event.1")) as file:
            text = file.read()
        for command in all_commands():
            if command[0] == "event":
                assert f".SS sundial {' '.join(command)}".replace("-", "\\-") in text, command
    wrong = run("man", "evnt")
    assert wrong.returncode == 2 and "did you mean 'event'?" in wrong.stderr, wrong


def completed(script, *lines):
    """The words that one bash offers for each command line, whose last word is being typed."""
    text = f"source {script}\n"
    for line in lines:
        words = line.split(" ")
        text += f"""COMPREPLY=(); COMP_WORDS=({' '.join(f"'{word}'" for word in words)}); COMP_CWORD={len(words) - 1}
_sundial; echo "${{COMPREPLY[*]}}"
"""
    done = subprocess.run(["bash"], input=text, capture_output=True, text=True, timeout=h.HANG_GUARD, check=True,
                          cwd=os.path.dirname(script))
    assert not done.stderr, done
    offered = done.stdout.splitlines()
    assert len(offered) == len(lines), done
    return [set(words.split()) for words in offered]


def offered_by_zsh(script, line):
    """The same for zsh, outside of its line editor: what the script passes to the functions that show words."""
    words = line.split(" ")
    text = f"""compdef() {{ :; }}
_describe() {{ local its=${{@[-1]}}; print -rl -- "${{(@P)its}}"; }}
_files() {{ print files; }}
_message() {{ :; }}
compadd() {{ shift; print -rl -- "$@"; }}
source {script}
words=({' '.join(f"'{word}'" for word in words)}); CURRENT={len(words)}; PREFIX='{words[-1]}'
_sundial"""
    done = subprocess.run(["zsh", "-f", "-c", text], capture_output=True, text=True, timeout=h.HANG_GUARD, check=True)
    assert not done.stderr, done
    return {word.partition(":")[0] for word in done.stdout.splitlines()}


def offered_by_fish(script, line):
    """The same for fish, limited to words that begin like the last one."""
    folder = os.path.dirname(script)
    done = subprocess.run(["fish", "--private", "--no-config", "-c", f"source {script}; complete -C '{line}'"], capture_output=True,
                          text=True, timeout=h.HANG_GUARD, check=True, env=os.environ | {"HOME": folder, "XDG_CONFIG_HOME": folder})
    assert not done.stderr, done
    return {word.partition("\t")[0] for word in done.stdout.splitlines()}


def completion_of_other_shells(zsh, fish):
    subprocess.run(["zsh", "-n", zsh], check=True, timeout=h.HANG_GUARD)
    subprocess.run(["fish", "--no-execute", fish], check=True, timeout=h.HANG_GUARD)
    nouns = {command[0] for command in all_commands()}
    verbs = {command[1] for command in all_commands() if command[0] == "event"}
    for offered, script in ((offered_by_zsh, zsh), (offered_by_fish, fish)):
        assert offered(script, "sundial ") == nouns, offered(script, "sundial ") ^ nouns
        assert offered(script, "sundial event ") == verbs, offered(script, "sundial event ") ^ verbs
        assert {"PENDING", "PROCESSING"} <= offered(script, "sundial event list --status P"), offered
        flags = flags_of(("event", "list"))
        assert flags <= offered(script, "sundial event list --"), flags - offered(script, "sundial event list --")


def completion():
    with h.folder() as directory:
        scripts = {}
        for shell in ("bash", "zsh", "fish"):
            scripts[shell] = os.path.join(directory, "completion." + shell)
            done = run("completion", shell)
            assert done.returncode == 0 and done.stdout, done
            with open(scripts[shell], "w") as file:
                file.write(done.stdout)
            for command in all_commands():
                assert command[-1] in done.stdout, (shell, command)
        subprocess.run(["bash", "-n", scripts["bash"]], check=True, timeout=h.HANG_GUARD)
        completion_of_other_shells(scripts["zsh"], scripts["fish"])
        bash = scripts["bash"]
        nouns = ("event", "user", "schedule", "zone")
        first, *verbs = completed(bash, "sundial ", *(f"sundial {noun} " for noun in nouns))
        assert {command[0] for command in all_commands()} == first
        for noun, offered in zip(nouns, verbs):
            assert {command[1] for command in all_commands() if command[0] == noun} == offered, noun
        for command, offered in zip(all_commands(), completed(bash, *(f"sundial {' '.join(command)} --" for command in all_commands()))):
            assert flags_of(command) <= offered, (command, flags_of(command) - offered)
        open(os.path.join(directory, "settings.toml"), "w").close()
        expected = {"sundial ev": {"event"},
                    "sundial event list --status P": {"PENDING", "PROCESSING"},
                    "sundial event list --status = P": {"PENDING", "PROCESSING"},
                    "sundial user list --sort ": {"createdAt", "-createdAt", "lastName", "-lastName", "updatedAt", "-updatedAt"},
                    "sundial completion ": {"bash", "zsh", "fish"},
                    "sundial serve --config sett": {"settings.toml"},
                    "sundial event add --type ": set()}  # any value is possible
        assert dict(zip(expected, completed(bash, *expected))) == expected


def reference(document):
    """docs/reference/cli.md has the table of the program, word for word."""
    with open(document) as file:
        text = file.read()
    made = run("help", "--markdown").stdout
    assert COMMENT in text, "the table's place is marked"
    assert text.partition(COMMENT)[2].startswith(made), f"replace the table in {document} by the output of `sundial help --markdown`"


if __name__ == "__main__":
    every_operation(sys.argv[1])
    conventions()
    help_texts()
    man_pages()
    completion()
    reference(sys.argv[2])
