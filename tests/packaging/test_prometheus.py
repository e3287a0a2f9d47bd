"""Every query of the dashboard and of the alerts, run by a real Prometheus that scrapes the real proxy."""

import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest
import yaml

from conftest import BINARIES, DEPLOY, MASKPROXY, free_port, run

ALERTS = DEPLOY / "prometheus" / "alerts.yml"
DASHBOARD = DEPLOY / "grafana" / "maskproxy.json"
METRIC = re.compile(r"\b(?:mask|process)_[a-z_]+\b")
# An alert asks for a value and compares it at the end with a bound.
COMPARED = re.compile(r"\s(?:==|>|<)\s[0-9.]+$")


def post(url, body):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            reply.read()
    except urllib.error.HTTPError as error:
        error.read()


def alerts():
    [group] = yaml.safe_load(ALERTS.read_text())["groups"]
    return {rule["alert"]: rule["expr"] for rule in group["rules"]}


def panels():
    dashboard = json.loads(DASHBOARD.read_text())
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            query = target["expr"].replace("$__rate_interval", "20s").replace("$instance", ".*")
            yield f"{panel['title']} {target['refId']}", query


@pytest.fixture
def scraped(start, tmp_path):
    """A Prometheus with what it has seen of a proxy that had something to do; asks it a query."""
    provider, proxy, port = free_port(), free_port(), free_port()
    start(f"http://127.0.0.1:{provider}/_mock/requests", BINARIES / "mock-provider", provider)
    upstream = f"http://127.0.0.1:{provider}"
    options = ["--upstream", upstream, "--port", proxy]
    start(f"http://127.0.0.1:{proxy}/health", MASKPROXY, "proxy", *options, cwd=tmp_path)
    config = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())
    config["global"] = {"scrape_interval": "200ms", "evaluation_interval": "200ms"}
    config["rule_files"] = [str(ALERTS)]
    config["scrape_configs"][0]["static_configs"][0]["targets"] = [f"127.0.0.1:{proxy}"]
    file = tmp_path / "prometheus.yml"
    file.write_text(yaml.safe_dump(config))
    server = f"http://127.0.0.1:{port}"
    options = [f"--config.file={file}", f"--storage.tsdb.path={tmp_path / 'data'}"]
    start(f"{server}/-/ready", "prometheus", *options, f"--web.listen-address=127.0.0.1:{port}")
    def ask(path, **parameters):
        query = urllib.parse.urlencode(parameters)
        with urllib.request.urlopen(f"{server}/api/v1/{path}?{query}", timeout=30) as reply:
            return json.load(reply)["data"]

    # Prometheus begins to scrape some seconds after its start.
    while ask("query", query='count_over_time(up{job="maskproxy"}[1m]) > 1')["result"] == []:
        time.sleep(0.2)
    for count in range(20):
        text = f"to user{count}@example.com and <MASK_EMAIL_999>"
        message = {"role": "user", "content": text}
        model = "error-500" if count == 3 else "close-before-reply" if count == 4 else "echo"
        post(f"http://127.0.0.1:{proxy}/v1/chat/completions", {"model": model, "messages": [message]})
        post(f"http://127.0.0.1:{proxy}/v1/unknown", {"text": "hi"})
        time.sleep(0.1)
    ask.exposed = urllib.request.urlopen(f"http://127.0.0.1:{proxy}/metrics").read().decode()
    return ask


def test_every_dashboard_and_alert_query_has_data(scraped):
    queries = dict(panels())
    queries |= {name: COMPARED.sub("", query.strip()) for name, query in alerts().items()}
    for name, query in queries.items():
        for metric in METRIC.findall(query):
            assert re.search(rf"^{metric}[ {{]", scraped.exposed, re.M), f"{name}: no metric {metric}"
        result = scraped("query", query=query)["result"]
        assert result != [], f"{name} has no data: {query}"
        assert all(point["value"][1] != "NaN" for point in result), f"{name}: {result}"
    [group] = scraped("rules")["groups"]
    assert {rule["health"] for rule in group["rules"]} == {"ok"}, group
    firing = {alert["labels"]["alertname"] for alert in scraped("alerts")["alerts"]}
    assert "MaskproxyUnmaskedBodies" in firing, firing
    assert firing.isdisjoint({"MaskproxyDown", "MaskproxyAuditLost", "MaskproxyNotReady", "MaskproxyVaultFails"}), firing


def test_the_rules_and_their_configuration_are_sound():
    run("promtool", "check", "config", DEPLOY / "prometheus" / "prometheus.yml")


def test_alerts_fire_when_they_should(tmp_path):
    """What a machine can't be made to do in a second is played to the rules."""
    labels = 'job="maskproxy", instance="a"'

    def case(series, values, alert, at, fires):
        name, _, more = series.partition("{")
        expected = [{"exp_labels": fires}] if fires else []
        return {
            "interval": "1m",
            "input_series": [{"series": f"{name}{{{more or labels}{'' if more else '}'}", "values": values}],
            "alert_rule_test": [{"eval_time": at, "alertname": alert, "exp_alerts": expected}],
        }

    critical = {"severity": "critical", "instance": "a"}
    tests = [
        case("up", "1 0 0 0", "MaskproxyDown", "3m", {**critical, "job": "maskproxy"}),
        case("up", "1 1 1 1", "MaskproxyDown", "3m", None),
        case("mask_ready", "1 0 0 0", "MaskproxyNotReady", "3m", {**critical, "job": "maskproxy"}),
        case("mask_ready", "1 1 1 1", "MaskproxyNotReady", "3m", None),
        case("mask_audit_lines_lost_total", "0 0 5 5", "MaskproxyAuditLost", "3m", critical),
        case("mask_audit_lines_lost_total", "5 5 5 5", "MaskproxyAuditLost", "3m", None),
        case(f'mask_errors_total{{{labels}, phase="vault"}}', "0 1 2 3 4 5", "MaskproxyVaultFails", "5m", critical),
    ]
    rules = yaml.safe_load(ALERTS.read_text())
    for rule in rules["groups"][0]["rules"]:
        del rule["annotations"]
    (tmp_path / "alerts.yml").write_text(yaml.safe_dump(rules))
    suite = {"rule_files": ["alerts.yml"], "evaluation_interval": "1m", "tests": tests}
    (tmp_path / "tests.yml").write_text(yaml.safe_dump(suite))
    run("promtool", "test", "rules", "tests.yml", cwd=tmp_path)
