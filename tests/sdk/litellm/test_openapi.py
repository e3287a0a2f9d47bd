"""docs/openapi.yaml is valid, and says what is served."""

import json
import urllib.error
import urllib.request

import pytest
import yaml
from gateway import PAGE, guardrail
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

SPEC = yaml.safe_load((PAGE.parent / "openapi.yaml").read_text())


def ask(url, method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url + path, data, {"content-type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as refused:
        return refused.code, json.load(refused)


def fits(body, name):
    schema = {"$ref": f"#/components/schemas/{name}", "components": SPEC["components"]}
    Draft202012Validator(schema).validate(body)


@pytest.fixture(scope="module")
def served(running_provider, tmp_path_factory):
    process, url = guardrail(tmp_path_factory.mktemp("openapi"), running_provider.url, {})
    yield url
    process.kill()


def test_the_description_is_valid():
    validate(SPEC)


def test_every_path_is_served_only_by_its_method(served):
    for path, methods in SPEC["paths"].items():
        for method in ["get", "post"]:
            status, body = ask(served, method.upper(), path, {} if method == "post" else None)
            assert (status in (200, 400)) == (method in methods) or path in ("/health", "/ready"), (method, path)
            if status == 400:
                fits(body, "Error")


def test_every_example_works_and_matches_its_schema(served):
    names = {"mask": "Answer", "restore": "Answer", "litellm": "LiteLlmAnswer"}
    ask(served, "POST", "/mask", {"session": "0b8a6c1e", "texts": ["alice@example.com"]})
    tried = 0
    for path, methods in SPEC["paths"].items():
        for method, operation in methods.items():
            if "requestBody" not in operation:
                continue
            content = operation["requestBody"]["content"]["application/json"]
            for example in content["examples"].values():
                fits(example["value"], content["schema"]["$ref"].rsplit("/", 1)[1])
                status, body = ask(served, method.upper(), path, example["value"])
                assert status == 200, body
                fits(body, names[operation["operationId"]])
                tried += 1
    assert tried == 4
