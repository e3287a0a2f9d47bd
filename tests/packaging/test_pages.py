"""Every command of a page is tried, or commands.yaml says why it can't be."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
import yaml

from conftest import BINARIES, MASKPROXY, ROOT, free_port, run

LISTED = yaml.safe_load((Path(__file__).parent / "commands.yaml").read_text())
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "envoy" / "README.md", ROOT / "engine-wit" / "README.md"]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.M | re.S)
# What a line in a block begins with that is a command, and no output or setting: a prompt, variables, a program.
COMMAND = re.compile(
    r"(?:\$ )?((?:[A-Z_]+=\S+ )*"
    r"(?:maskproxy|cargo|just|bash|curl|docker|kubectl|helm|openssl|sudo|export|npx|printf|pip|componentize-py|git|cd|mkdir|ACL)\s(?!\s).*)"
)
# A command within a sentence.
INLINE = re.compile(r"`((?:sudo )?(?:maskproxy|cargo|just|bash|curl|docker|openssl|npx|pip|apt|git|nginx|systemctl|sqlite3|redis-cli|ACL|CONFIG) [^`]+)`")
# What names a command or a tool, instead of calling it: no options and arguments follow.
NAMED = re.compile(r"maskproxy [a-z]+(?: [a-z]+)?|[a-z]+ (?:install|test|add|-u)")
# tests/tests/docs.rs checks that these exist.
RECIPE = re.compile(r"(?:just|bash tests/run) [A-Za-z-]+")


def on_pages():
    for page in PAGES:
        blocks = BLOCK.findall(page.read_text())
        for block in [text for language, text in blocks if language in ("", "sh", "console")]:
            for line in block.splitlines():
                if command := COMMAND.match(line):
                    yield re.sub(r"\s+# .*", "", command[1]).strip()
        for command in INLINE.findall(BLOCK.sub("", page.read_text())):
            if not NAMED.fullmatch(command) and not RECIPE.match(command):
                yield command


def test_exactly_the_documented_commands_are_listed():
    listed = [*LISTED["run"], *LISTED["start"], *LISTED["elsewhere"], *LISTED["not run"]]
    assert set(on_pages()) - set(listed) == set(), "list these in commands.yaml"
    assert set(listed) - set(on_pages()) == set(), "no page has these"
    for command, tests in LISTED["elsewhere"].items():
        [(file, words)] = tests.items()
        assert words in (ROOT / file).read_text(), f"{file} no longer has {words}, which stood for {command}"
        assert {*re.findall(r"\w{4,}", words)} & {*re.findall(r"\w{4,}", command)}, f"{words} has nothing of {command}"
    assert all(reason for reason in LISTED["not run"].values())


def test_every_command_named_in_a_sentence_exists():
    inline = set(INLINE.findall("".join(BLOCK.sub("", page.read_text()) for page in PAGES)))
    named = {command for command in inline if re.fullmatch(r"maskproxy [a-z ]+", command)}
    assert len(named) > 5
    for command in named:
        run(MASKPROXY, *command.split()[1:], "--help")


def test_every_version_documents_its_upgrade():
    _, *versions = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(), flags=re.M)
    for version in versions:
        assert re.search(r"^### Upgrading\n\n.*(.|\n)*?^- ", version, re.M), version.splitlines()[0]
    assert "../CHANGELOG.md#upgrading" in (ROOT / "docs/operate.md").read_text()


def test_every_documented_tool_says_whether_it_was_tested():
    """A row names what a test of that name runs, or says that nobody tried it."""
    page = (ROOT / "docs/tools.md").read_text()
    rows = page.split("## Other tools")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in rows.splitlines() if line.startswith("| ")][1:]
    tests = {
        "openai SDKs": "tests/sdk/python/test_openai.py",
        "anthropic SDKs": "tests/sdk/python/test_anthropic.py",
        "google-genai in Python": "tests/sdk/python/test_generic.py",
        "ollama in Python": "tests/sdk/python/test_generic.py",
        "AI SDK": "tests/sdk/node/ai-sdk.test.mjs",
        "LiteLLM": "tests/sdk/litellm/test_litellm.py",
        "LangChain": "tests/sdk/frameworks/test_frameworks.py",
        "Pydantic AI": "tests/sdk/frameworks/test_frameworks.py",
        "OpenAI Agents SDK in Python": "tests/sdk/frameworks/test_frameworks.py",
        "Continue": "tests/agents/cn/package.json",
    }
    assert len(rows) > 12 and set(tests) <= {row[0] for row in rows}
    for tool, setting, works, fails in rows:
        assert setting and fails, tool
        if tool in tests:
            assert works.startswith("tried") and (ROOT / tests[tool]).is_file(), tool
        else:
            assert works.startswith(("not tried", "nothing")), tool


@pytest.fixture
def shell(tmp_path, start):
    """A shell in a folder with what the pages speak of, and a proxy at its usual port if that is free."""
    home = tmp_path / "home"
    for folder in [".local/share/bash-completion/completions", ".local/share/man/man1"]:
        (home / folder).mkdir(parents=True)
    (tmp_path / "src").mkdir()
    (tmp_path / ".env").write_text("PASSWORD=hunter2-Kx9q\n")
    (tmp_path / "src" / "a.yaml").write_text("owner: alice@example.com\n")
    (tmp_path / "notes.md").write_text("Write to alice@example.com\n")
    (tmp_path / "answer.md").write_text("Done: <MASK_EMAIL_1>\n")
    (tmp_path / "request.json").write_text('{"model": "m", "messages": [{"role": "user", "content": "alice@example.com"}]}')
    provider, port, guardrail = free_port(), free_port(), free_port()
    start(f"http://127.0.0.1:{provider}/_mock/requests", BINARIES / "mock-provider", provider)
    upstream = f"http://127.0.0.1:{provider}"
    (tmp_path / "maskproxy.yaml").write_text(
        f"port: {port}\nproxy: {{upstream: '{upstream}', guardrail: {guardrail}}}\nvault: {{type: sqlite}}\n"
    )
    (tmp_path / "environment").write_text(f"MASK_ANCHOR_SECRET={'a' * 64}\n")
    environment = {
        "HOME": str(home), "PATH": f"{BINARIES}:{os.environ['PATH']}", "MASK_CONFIG": "maskproxy.yaml", "MASK_GUARDRAIL_KEY": "k" * 32,
    }
    here = {
        "http://127.0.0.1:8000": f"http://127.0.0.1:{port}",
        "http://10.0.0.11:8000": f"http://127.0.0.1:{port}",
        "http://127.0.0.1:8001": f"http://127.0.0.1:{guardrail}",
        "http://127.0.0.1:9999": upstream,
        "/etc/maskproxy/": "./",
        "/var/lib/maskproxy/audit.log": "maskproxy-audit.log",
        "sudo ": "",
    }
    run("git", "init", "-q", ".", cwd=tmp_path, env=environment)
    run("git", "add", ".env", "src", cwd=tmp_path, env=environment)
    start(f"http://127.0.0.1:{port}/health", MASKPROXY, "proxy", cwd=tmp_path, env=environment)

    def shell(command):
        for there, local in here.items():
            command = command.replace(there, local)
        bash = ["bash", "-euo", "pipefail", "-c", command]
        return run(*bash, check=False, cwd=tmp_path, env=environment, input="sk-client-key-of-team-a\n")

    return shell


def test_the_documented_commands_run(shell):
    # A call of the page shows the answer to the one before.
    shown = {}
    for command in LISTED["run"]:
        for there, local in shown.items():
            command = command.replace(there, local)
        done = shell(command)
        if "8001/mask " in command:
            masked = json.loads(done.stdout)
            shown = {"ses_5f2c9d0b7a41e683": masked["session"], "sent to <MASK_EMAIL_67248722833>": masked["texts"][0]}
        if "8001/restore " in command:
            assert json.loads(done.stdout)["texts"] == ["write to alice@example.com"], done.stdout
        # 1 means that a command found something; xargs makes 123 of it.
        passing = [0, 1, 123] if " detect " in command else [0]
        assert done.returncode in passing, f"{command}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("command", LISTED["start"])
def test_the_documented_servers_start(command, tmp_path):
    words = command.replace("8001", "0").split()
    process = subprocess.Popen(
        [MASKPROXY, *words[1:], "--port", "0"], cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        env={"HOME": str(tmp_path), "PATH": os.environ["PATH"], "MASK_GUARDRAIL_KEY": "k" * 32},
    )
    try:
        said = iter(process.stderr.readline, "")
        assert any(line.startswith("listening on") for line in said), f"{command} did not start"
    finally:
        process.send_signal(signal.SIGTERM)
        process.stderr.read()
        assert process.wait(timeout=30) == 0
