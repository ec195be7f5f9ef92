"""The bill of materials, SPDX 2.3: the program, and the libraries that are linked to it or compiled into it.

It says nothing about the program's bytes, because the program contains the SHA-256 of the bill.
"""
import hashlib
import json
import re
import urllib.parse

from files import ROOT, run

# Debian packages with headers or archives that are compiled or linked into the program. dpkg-shlibdeps knows the shared ones.
COMPILED_IN = ["libboost1.81-dev", "libcli11-dev", "libsqlitecpp-dev"]
# The section that src/server/version.cpp reserves.
SECTION = ".sundial_sbom"


def debian_package(name, architecture):
    version = run("dpkg-query", "-W", "-f=${Version}", name)
    return package(name, version, f"pkg:deb/debian/{name}@{urllib.parse.quote(version, safe='')}?arch={architecture}",
                   "Organization: Debian")


def package(name, version, address, supplier="NOASSERTION"):
    return {"SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "name": name, "versionInfo": version,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "supplier": supplier, "licenseConcluded": "NOASSERTION",
            "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": address}]}


def console_libraries():
    for name, version in sorted(json.loads((ROOT / "web/package.json").read_text())["dependencies"].items()):
        yield package(name, version, f"pkg:npm/{name}@{version}")


def bill_of_materials(version, depends, architecture, console, date):
    """`depends` is the field of the Debian package; `console`: whether the program contains the console."""
    program = package("sundial", version, f"pkg:generic/sundial@{version}", "Organization: The Sundial team")
    program |= {"licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "primaryPackagePurpose": "APPLICATION"}
    shared = sorted(set(re.findall(r"[a-z0-9][a-z0-9.+-]+(?= \(|,|$)", depends)))
    parts = [("DYNAMIC_LINK", debian_package(name, architecture)) for name in shared]
    parts += [("STATIC_LINK", debian_package(name, architecture)) for name in COMPILED_IN]
    if console:
        parts += [("CONTAINS", library) for library in console_libraries()]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", program["SPDXID"])]
    relations += [(program["SPDXID"], how, part["SPDXID"]) for how, part in parts]
    created = run("date", "-u", "+%Y-%m-%dT%H:%M:%SZ", "-d", f"@{date}").strip()
    document = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"sundial-{version}",
                "creationInfo": {"created": created, "creators": ["Tool: packaging/package"]},
                "packages": [program, *(part for _, part in parts)],
                "relationships": [{"spdxElementId": one, "relationshipType": how, "relatedSpdxElement": other}
                                  for one, how, other in relations]}
    # SPDX wants a namespace that no other document has.
    content = hashlib.sha256(json.dumps(document).encode()).hexdigest()
    document["documentNamespace"] = f"https://spdx.org/spdxdocs/sundial-{version}-{content[:32]}"
    return json.dumps(document, indent=1) + "\n"


def name_in_program(bill, program, work):
    """`sundial version --json` shows the digest from then on."""
    digest = work / "sbom.digest"
    digest.write_bytes(hashlib.sha256(bill.encode()).hexdigest().encode() + b"\0")
    run("objcopy", "--update-section", f"{SECTION}={digest}", program)
