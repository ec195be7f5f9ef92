"""The files for compose and Kubernetes in deploy/, compared with the program: settings, commands, ports, paths, probes, secrets and
the objects that refer to each other. `check` reads them only; `run` starts what compose.yaml describes, without containers.
Kubernetes itself is not needed: kubectl renders the kustomizations where it is installed."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../e2e"))
import harness as h  # noqa: E402

try:
    import yaml
except ImportError:
    print("skipped: this Python has no module yaml (python3-yaml)")
    sys.exit(77)

ROOT = os.path.join(HERE, "../..")
DEPLOY = os.path.join(ROOT, "deploy")
# Values for the secrets, in settings that are checked and not used.
SECRETS = {"storage-url": "postgresql://sundial@127.0.0.1:1/none", "encryption-key": h.ENCRYPTION_KEY}
LONGEST_STOP = 30  # seconds from SIGTERM: 25 for deliveries in flight, 5 for the last requests (docs/operating.md)


def read(*path):
    with open(os.path.join(DEPLOY, *path), encoding="utf-8") as file:
        return file.read()


def sundial(*arguments, environment=None, folder="/"):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SUNDIAL")}
    return subprocess.run([h.PROGRAM, *arguments], env={**clean, **(environment or {})}, cwd=folder, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=h.HANG_GUARD)


def known_paths():
    with open(os.path.join(ROOT, "openapi.json"), encoding="utf-8") as document:
        return set(json.load(document)["paths"])


def check_command(arguments, where):
    assert arguments, f"{where}: no command"
    done = sundial(*arguments, "--help")
    assert done.returncode == 0, f"{where}: sundial {' '.join(arguments)}: {done.stderr}"


def check_settings(environment, where, folder, serves):
    """The program takes the settings; a process that serves starts with them."""
    shown = sundial("config", "show", environment=environment, folder=folder)
    assert shown.returncode == 0, f"{where}: {shown.stderr}"
    if serves:
        found = {row["check"]: row for row in json.loads(sundial("doctor", "--json", environment=environment, folder=folder).stdout)}
        assert found["settings"]["state"] == "ok", f"{where}: {found['settings']}"


def listen_port(environment, where):
    """The port of the first listener, which probes use."""
    roles = environment.get("SUNDIAL_SCHEDULER_ROLES", "api").split(",")
    name = "SUNDIAL_HTTP_LISTEN" if "api" in roles else "SUNDIAL_HTTP_HEALTH_LISTEN"
    assert name in environment, f"{where}: {name} is not set"
    address, port = environment[name].rsplit(":", 1)
    assert address == "0.0.0.0", f"{where}: nothing reaches {environment[name]} from outside the container"
    return int(port)


class Image:
    """The image of deploy/Dockerfile."""

    def __init__(self):
        text = read("Dockerfile")
        line = lambda word: re.search(rf"^{word} (.*)$", text, re.MULTILINE)[1]
        self.user = int(line("USER").split(":")[0])
        self.volume, self.port = line("VOLUME"), int(line("EXPOSE"))
        assert json.loads(line("ENTRYPOINT")) == ["sundial"]
        health = json.loads(re.search(r"^HEALTHCHECK .*CMD (\[.*\])$", text, re.MULTILINE)[1])
        assert health[0] == "sundial"
        check_command(health[1:], "Dockerfile")
        check_command(json.loads(line("CMD")), "Dockerfile")
        assert line("WORKDIR") == self.volume, "the default database must lie in the volume"
        # It would override SUNDIAL_STORAGE_URL_FILE.
        assert "ENV SUNDIAL" not in text


def of_compose(service, folder):
    """The settings of a service, with files in `folder` for its secrets."""
    environment = dict(service["environment"])
    for name, value in environment.items():
        if name.endswith("_FILE") and str(value).startswith("/run/secrets/"):
            environment[name] = os.path.join(folder, os.path.basename(value))
    return environment


def write_secrets(folder, url):
    for name, text in (("storage_url", url), ("encryption_key", h.ENCRYPTION_KEY)):
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write(text + "\n")
        os.chmod(os.path.join(folder, name), 0o600)


def check_compose(image):
    document = yaml.safe_load(read("compose.yaml"))
    services = document["services"]
    own = {name: service for name, service in services.items() if service["image"] == "sundial"}
    assert set(own) == {"migrate", "sundial", "worker"} and "postgres" in services, set(services)
    for name, service in services.items():
        for needed in service.get("depends_on", {}):
            assert needed in services, f"{name} depends on {needed}"
        for secret in service.get("secrets", []):
            assert secret in document["secrets"], f"{name}: no secret {secret}"
        for value in map(str, service["environment"].values()):
            if value.startswith("/run/secrets/"):
                assert os.path.basename(value) in service["secrets"], f"{name} lacks the secret {value}"
    comment = read("compose.yaml").split("name: sundial")[0]
    for secret in document["secrets"].values():
        assert f"> {secret['file']}" in comment, f"the first lines do not say how to make {secret['file']}"
    commands = re.findall(r"'sundial ([a-z]+ [a-z]+) ", comment)
    assert commands == ["key create"], commands
    check_command(commands[0].split(), "compose.yaml")
    with h.folder() as folder:
        write_secrets(folder, SECRETS["storage-url"])
        for name, service in own.items():
            where = f"compose.yaml, {name}"
            check_command(service["command"], where)
            serves = service["command"] == ["serve"]
            check_settings(of_compose(service, folder), where, folder, serves)
            assert int(service["stop_grace_period"].rstrip("s")) > LONGEST_STOP, where
            assert service["read_only"] is True, where
            if serves:
                assert listen_port(service["environment"], where) == image.port, f"{where}: `sundial health` asks port {image.port}"
                assert service["healthcheck"]["test"] == ["CMD", "sundial", "health"], where
                assert service["environment"]["SUNDIAL_STORAGE_AUTO_MIGRATE"] == "false" and "migrate" in service["depends_on"]
        assert services["sundial"]["ports"][0].endswith(f":{image.port}")


def settings_of(container, objects, where):
    """The environment of a container: literal values, ConfigMaps, and a value for each secret."""
    environment = {}
    for source in container.get("envFrom", []):
        name = source["configMapRef"]["name"]
        environment.update(objects["ConfigMap", name]["data"])
    for entry in container.get("env", []):
        if "value" in entry:
            environment[entry["name"]] = entry["value"]
        else:
            reference = entry["valueFrom"]["secretKeyRef"]
            assert reference["name"] == "sundial", where
            environment[entry["name"]] = SECRETS[reference["key"]]
    return environment


def matched(selector, objects, kind):
    labels = selector.get("matchLabels", selector)
    for (one, _), found in objects.items():
        if one == kind and labels.items() <= found["metadata"].get("labels", {}).items():
            yield found


def check_pod(workload, objects, image, folder):
    kind, name = workload["kind"], workload["metadata"]["name"]
    where, template = f"{kind} {name}", workload["spec"]["template"]
    pod = template["spec"]
    security = pod["securityContext"]
    assert security["runAsNonRoot"] and security["runAsUser"] == image.user, f"{where} runs as another user than the image"
    [container] = pod["containers"]
    assert container["image"] == "sundial" and container["securityContext"]["readOnlyRootFilesystem"], where
    check_command(container["args"], where)
    serves = container["args"] == ["serve"]
    environment = settings_of(container, objects, where)
    mounts = {mount["name"]: mount["mountPath"] for mount in container.get("volumeMounts", [])}
    volumes = {volume["name"] for volume in pod.get("volumes", [])}
    volumes |= {claim["metadata"]["name"] for claim in workload["spec"].get("volumeClaimTemplates", [])}
    assert set(mounts) == volumes, (where, mounts, volumes)
    local = dict(environment)
    if "SUNDIAL_SECURITY_API_KEYS_FILE" in environment:
        file = environment["SUNDIAL_SECURITY_API_KEYS_FILE"]
        if serves:
            [secret] = [volume["secret"] for volume in pod["volumes"] if volume["name"] == "secrets"]
            paths = {os.path.join(mounts["secrets"], item["path"]) for item in secret["items"]}
            assert file in paths and secret["secretName"] == "sundial", f"{where}: {file} is not mounted"
        local["SUNDIAL_SECURITY_API_KEYS_FILE"] = os.path.join(folder, "api-keys")
    check_settings(local, where, folder, serves)
    if not serves:
        assert pod["restartPolicy"] == "Never", where
        return
    assert pod["terminationGracePeriodSeconds"] > LONGEST_STOP, where
    assert workload["spec"]["selector"]["matchLabels"].items() <= template["metadata"]["labels"].items(), where
    [port] = container["ports"]
    assert port["containerPort"] == listen_port(environment, where) == image.port, where
    for probe, path in (("livenessProbe", "/livez"), ("readinessProbe", "/readyz")):
        asked = container[probe]["httpGet"]
        assert asked["path"] == path and path in known_paths() and asked["port"] == port["name"], (where, probe)
    if environment["SUNDIAL_STORAGE_URL"].startswith("sqlite:"):
        assert kind == "StatefulSet" and workload["spec"]["replicas"] == 1, where
        assert os.path.dirname(environment["SUNDIAL_STORAGE_URL"].removeprefix("sqlite:")) == mounts["data"] == image.volume, where
    else:
        assert environment["SUNDIAL_STORAGE_AUTO_MIGRATE"] == "false" and ("Job", "sundial-migrate") in objects, where


def check_references(objects):
    workloads = [found for (kind, _), found in objects.items() if kind in ("Deployment", "StatefulSet")]
    of_pods = lambda selector: [one for one in workloads
                                if selector.items() <= one["spec"]["template"]["metadata"]["labels"].items()]
    monitored = set()
    for (kind, name), found in objects.items():
        spec = found.get("spec", {})
        if kind == "Service":
            [workload] = of_pods(spec["selector"])
            names = {port["name"] for port in workload["spec"]["template"]["spec"]["containers"][0]["ports"]}
            assert all(port["targetPort"] in names for port in spec["ports"]), name
        elif kind == "PodDisruptionBudget":
            [workload] = of_pods(spec["selector"]["matchLabels"])
            assert spec["minAvailable"] < workload["spec"]["replicas"], f"{name} lets no node drain"
        elif kind == "ServiceMonitor":
            [service] = matched(spec["selector"], objects, "Service")
            [endpoint] = spec["endpoints"]
            assert endpoint["port"] in {port["name"] for port in service["spec"]["ports"]}, name
            assert endpoint["path"] == "/metrics" and endpoint["path"] in known_paths(), name
            assert service["metadata"]["labels"][spec["jobLabel"]] == "sundial", f"{name}: the alert rules name the job sundial"
            monitored.add(service["metadata"]["name"])
        elif kind == "StatefulSet":
            assert ("Service", spec["serviceName"]) in objects, name
    assert monitored == {name for kind, name in objects if kind == "Service"}, "each service is scraped"


def check_kubernetes(folder, image):
    """Every file is part of the kustomization, and every object of it agrees with the others and with the program."""
    listed = yaml.safe_load(read("kubernetes", folder, "kustomization.yaml"))["resources"]
    there = {os.path.basename(path) for path in glob.glob(os.path.join(DEPLOY, "kubernetes", folder, "*.yaml"))}
    assert set(listed) == there - {"kustomization.yaml"}, (listed, there)
    objects = {}
    for file in listed:
        for document in yaml.safe_load_all(read("kubernetes", folder, file)):
            key = document["kind"], document["metadata"]["name"]
            assert key not in objects, f"twice: {key}"
            objects[key] = document
    with h.folder() as directory:
        made = sundial("key", "create", "--role", "ADMIN", "--name", "first", "--db", os.path.join(directory, "keys.db"))
        assert made.returncode == 0, made.stderr
        with open(os.path.join(directory, "api-keys"), "w", encoding="ascii") as file:
            file.write(f"first ADMIN {made.stdout.strip()}\n")
        for found in objects.values():
            if found["kind"] in ("Deployment", "StatefulSet", "Job"):
                check_pod(found, objects, image, directory)
    check_references(objects)
    # The README says how each part of the Secret is made.
    readme = read("kubernetes", "README.md")
    used = set(re.findall(r"(?:name: sundial, key: |key: )([a-z-]+)", "".join(read("kubernetes", folder, file) for file in listed)))
    for key in used:
        assert re.search(rf"--from-(?:file|literal)={key}\b", readme), f"the README does not make {key}"
    return objects


def render(folder, objects):
    """kubectl's own kustomize, which needs no cluster."""
    done = subprocess.run(["kubectl", "kustomize", os.path.join(DEPLOY, "kubernetes", folder)], capture_output=True, text=True,
                          timeout=h.HANG_GUARD)
    assert done.returncode == 0, done.stderr
    rendered = {(one["kind"], one["metadata"]["name"]) for one in yaml.safe_load_all(done.stdout)}
    assert rendered == set(objects), rendered ^ set(objects)


def check():
    image = Image()
    check_compose(image)
    with_kubectl = shutil.which("kubectl") is not None
    for folder in ("postgres", "sqlite"):
        objects = check_kubernetes(folder, image)
        if with_kubectl:
            render(folder, objects)
    print("compose.yaml and the manifests agree with the program; kubectl kustomize was", "run" if with_kubectl else "not run")


def run():
    """The processes of compose.yaml, in its order and with its settings, on free ports of loopback and a PostgreSQL of the test."""
    services = yaml.safe_load(read("compose.yaml"))["services"]
    with h.folder() as folder, h.postgres() as url:
        write_secrets(folder, url)
        settings = {name: of_compose(services[name], folder) for name in ("migrate", "sundial", "worker")}
        for arguments in (services["migrate"]["command"], ["key", "create", "--role", "ADMIN", "--name", "first", "--db", url]):
            done = sundial(*arguments, environment=settings["migrate"], folder=folder)
            assert done.returncode == 0, done.stderr
        key = done.stdout.strip()
        servers = []
        try:
            for name, replicas in (("sundial", services["sundial"]["deploy"]["replicas"]), ("worker", 1)):
                local = {k: v.replace("0.0.0.0:8080", "127.0.0.1:0") for k, v in settings[name].items()}
                servers += [h.Server(*services[name]["command"], folder=folder, environment=local) for _ in range(replicas)]
            for server in servers:
                server.ready()
                assert sundial("health", "--server", f"http://127.0.0.1:{server.port}").returncode == 0, server.log_text()
            client = servers[0].client()
            rows = lambda: client.ok("GET", "/v1/instances", headers={"Authorization": f"Bearer {key}"})["data"]
            h.wait_until(lambda: sorted(len(row["roles"]) for row in rows()) == [1, 4, 4], "the reports of all three")
            assert all(server.stop() == 0 for server in servers)
        finally:
            for server in servers:
                if server.process.poll() is None:
                    server.kill()
    print("compose.yaml: migrated, a key made, two instances and a worker healthy")


if __name__ == "__main__":
    h.main({"check": check, "run": run})
