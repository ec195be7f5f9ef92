"""Results by their types, with the real server; and the methods beside the document."""
import ast
import inspect
import json
import os
import re
import unittest

from support import ROOT, TEST_CLOCK, harness, url

import sundial_client
import typed_calls
from sundial_client import client as client_module


def resources():
    return client_module.Resource.__subclasses__()


def public(cls):
    return [(name, one) for name, one in vars(cls).items() if not name.startswith("_") and (callable(one) or isinstance(one, property))]


class Typed(unittest.TestCase):
    def test_results_are_what_their_types_say(self):
        with harness.folder() as directory, harness.running(*TEST_CLOCK, folder=directory) as server:
            typed_calls.run(url(server), f"http://127.0.0.1:{harness.free_port()}")


class Methods(unittest.TestCase):
    def test_each_result_has_the_type_of_the_document(self):
        """The casts of the client are by hand, and mypy believes them."""
        with open(os.path.join(ROOT, "openapi.json"), encoding="utf-8") as file:
            document = json.load(file)
        schemas = document["components"]["schemas"]
        results = {operation["operationId"]: answers(operation, schemas) for methods in document["paths"].values() for operation in methods.values()}
        tree = ast.parse(inspect.getsource(client_module))
        checked = set()
        for cls in (one for one in tree.body if isinstance(one, ast.ClassDef) and one.bases and ast.unparse(one.bases[0]) == "Resource"):
            for method in (one for one in cls.body if isinstance(one, ast.FunctionDef)):
                found = [ast.unparse(call.func).rsplit(".", 1)[-1] for call in ast.walk(method) if isinstance(call, ast.Call)]
                named = [call.args[0].value for call in ast.walk(method) if isinstance(call, ast.Call) and call.args
                         and isinstance(call.args[0], ast.Constant) and call.args[0].value in results]
                for operation in named:
                    declared = ast.unparse(method.returns)
                    wanted = results[operation]
                    if "_list" in found:
                        (page,) = wanted
                        items = schemas[page]["properties"]["data"]["items"]["$ref"].rsplit("/", 1)[1]
                        self.assertEqual(declared, f"Listing[s.{items}, s.{page}]", operation)
                    elif operation == "followLive":
                        self.assertEqual(declared, "'Iterator[LiveMessage]'")
                    elif wanted:
                        self.assertEqual(set(re.findall(r"s\.(\w+)", declared)), wanted, operation)
                    else:
                        self.assertIn(declared, ("None", "str", "Dict[str, Any]"), operation)
                    checked.add(operation)
        self.assertEqual(checked, set(client_module.s.OPERATIONS))

    def test_each_has_a_docstring(self):
        exported = [getattr(sundial_client, name) for name in sundial_client.__all__ if not name.startswith("__")]
        lacking = []
        for one in [*exported, *resources()]:
            if not inspect.getdoc(one):
                lacking.append(one.__name__)
            if inspect.isclass(one):
                lacking += [f"{one.__name__}.{name}" for name, member in public(one) if not inspect.getdoc(member)]
        self.assertEqual(lacking, [])


def answers(operation, schemas):
    """Names of the schemas of the successful answers. One that another one extends is left out: the other has all of it."""
    names = set()
    for status, response in operation["responses"].items():
        if status.startswith("2") and "application/json" in response.get("content", {}):
            reference = response["content"]["application/json"]["schema"].get("$ref")
            names |= {reference.rsplit("/", 1)[1]} if reference else set()
    extended = {schemas[name]["allOf"][0]["$ref"].rsplit("/", 1)[1] for name in names if "allOf" in schemas[name]}
    return names - extended


if __name__ == "__main__":
    unittest.main()
