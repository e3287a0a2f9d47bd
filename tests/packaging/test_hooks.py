"""`detect` in hooks and in code scanning: the real pre-commit, and the schema of SARIF."""

import json
import os

import jsonschema

from conftest import MASKPROXY, NODE_MODULES, ROOT, run, tool

HOOK = """repos:
- repo: {repository}
  rev: {revision}
  hooks: [{{id: maskproxy}}]
"""


def repository(path, files):
    """A Git repository with these files, committed; its revision."""
    path.mkdir()
    run("git", "init", "-q", path)
    for name, text in files.items():
        (path / name).write_text(text)
    git = ["git", "-C", path, "-c", "user.name=a", "-c", "user.email=a@localhost"]
    run(*git, "add", ".")
    run(*git, "commit", "-q", "-m", "first")
    return run(*git, "rev-parse", "HEAD").stdout.strip()


def test_pre_commit_stops_a_commit_with_a_secret_and_shows_no_value(tmp_path):
    hooks = tmp_path / "hooks"
    definition = (ROOT / ".pre-commit-hooks.yaml").read_text()
    revision = repository(hooks, {".pre-commit-hooks.yaml": definition})
    project = tmp_path / "project"
    repository(project, {"README.md": "nothing\n"})
    config = HOOK.format(repository=hooks, revision=revision)
    (project / ".pre-commit-config.yaml").write_text(config)
    environment = {
        "PATH": f"{MASKPROXY.parent}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "PRE_COMMIT_HOME": str(tmp_path / "cache"),
    }

    def hook():
        run("git", "-C", project, "add", ".")
        return run(tool("pre-commit"), "run", cwd=project, env=environment, check=False)

    (project / "clean.py").write_text("print('hello')\n")
    clean = hook()
    assert clean.returncode == 0 and "Passed" in clean.stdout, clean.stdout + clean.stderr
    (project / "app.env").write_text("# é\nDB_PASSWORD=hunter2-Kx9\n")
    found = hook()
    assert found.returncode == 1, found.stdout + found.stderr
    assert "app.env:2:13  SECRET" in found.stdout, found.stdout
    assert "hunter2" not in found.stdout + found.stderr


def test_sarif_output_matches_its_schema(tmp_path):
    [schema] = (NODE_MODULES / "@microsoft/jest-sarif/lib/schemas").glob("sarif-2.1.0*.json")
    validator = jsonschema.Draft7Validator(json.loads(schema.read_text()))
    (tmp_path / "clean.md").write_text("nothing\n")
    (tmp_path / "a b.env").write_text("DB_PASSWORD=hunter2-Kx9\nMAIL=alice@example.com\n")
    for files, code, results in [(["clean.md"], 0, 0), (["clean.md", "a b.env"], 1, 2), (["missing", "a b.env"], 2, 2)]:
        done = run(MASKPROXY, "detect", "--format", "sarif", *files, cwd=tmp_path, check=False)
        assert done.returncode == code, done.stderr
        log = json.loads(done.stdout)
        problems = [error.message for error in validator.iter_errors(log)]
        assert problems == [], problems
        [scan] = log["runs"]
        assert len(scan["results"]) == results
        assert scan["invocations"][0]["executionSuccessful"] == (code < 2)
        for result in scan["results"]:
            rule = scan["tool"]["driver"]["rules"][result["ruleIndex"]]
            assert rule["id"] == result["ruleId"]
            place = result["locations"][0]["physicalLocation"]["artifactLocation"]
            assert place["uri"] == "a%20b.env"
