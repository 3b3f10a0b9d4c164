"""The documentation: it builds as a site, its links lead somewhere, its commands and examples work."""

import os
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest
from scripts import PROJECT, script

# The site's own links are checked when it is built.
TEXTS = [PROJECT / name for name in ("README.md", "CHANGELOG.md", "config/README.md")]
# Nothing can be downloaded through these.
NO_NETWORK = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")


def run(module: str, *arguments: str, **environment: str) -> str:
    """Run a Python module in the project; return what it printed."""
    command = (sys.executable, "-m", module, *arguments)
    env = os.environ | environment
    done = subprocess.run(command, cwd=PROJECT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    run("mkdocs", "build", "--strict", "--site-dir", str(folder), **NO_NETWORK)
    return folder


def test_every_page_is_on_the_site(site):
    pages = {path.relative_to(PROJECT / "docs").with_suffix("") for path in (PROJECT / "docs").rglob("*.md")}
    made = {path.parent.relative_to(site) for path in site.rglob("index.html")}
    assert {page if page.name != "index" else page.parent for page in pages} == made


def test_the_site_needs_no_network(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|img)[^>]* src=\"?(http[^\"> ]*)", text)
        loaded += re.findall(r"<link[^>]*rel=\"?stylesheet[^>]*href=\"?(http[^\"> ]*)", text)
        assert not loaded, page


def test_tables_of_modules_are_tables_on_the_site(site):
    for name in ("task", "formats"):
        text = (site / f"api/{name}/index.html").read_text(encoding="utf-8")
        assert "====" not in text
    assert "<code>instance_sequence</code></td>" in text


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_links_lead_to_files(path):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        target = link.partition("#")[0]
        if target and not re.match(r"[a-z]+:", target):
            assert (path.parent / target).exists(), link


# --- the picture of the rules

RULES = script("docs/rules.py")
GRAPH = """\
digraph snakemake_dag {
    node[shape=box];
\t0[label = "all", color = "x"];
\t1[label = "table4", color = "x"];
\t2[label = "evaluate", color = "x"];
\t3[label = "train", color = "x"];
\t5[label = "convert", color = "x"];
\t6[label = "choose", color = "x"];
\t7[label = "study", color = "x"];
\t1 -> 0
\t2 -> 1
\t3 -> 2
\t5 -> 2
\t5 -> 3
\t2 -> 6
\t6 -> 2
\t7 -> 1
}
"""


def test_the_graph_of_the_rules_is_read_and_shortened():
    graph = RULES.read_rulegraph(GRAPH)
    assert graph == {
        "table4": {"evaluate"},
        "evaluate": {"train", "convert"},
        "train": {"convert"},
        "convert": set(),
        "choose": {"evaluate"},
    }
    assert RULES.without_shortcuts(graph)["evaluate"] == {"train"}


def test_the_picture_has_every_rule_once_and_none_over_another():
    picture = ElementTree.fromstring(RULES.drawing(RULES.read_rulegraph(GRAPH)))  # noqa: S314 (our own)
    space = {"": "http://www.w3.org/2000/svg"}
    texts = [text.text for text in picture.findall("text", space)]
    assert sorted(texts) == sorted(["table4", "evaluate", "train", "convert", "choose", *RULES.STAGES])
    boxes = [
        [float(box.get(name)) for name in ("x", "y", "width", "height")]
        for box in picture.findall("rect", space)
        if box.get("rx") == "6"
    ]
    assert len(boxes) == 5
    for number, (x, y, width, _) in enumerate(boxes):
        for other_x, other_y, other_width, _ in boxes[:number]:
            assert y != other_y or x + width <= other_x or other_x + other_width <= x


def test_the_picture_is_up_to_date(tmp_path):
    graph = run("snakemake", "all", "--rulegraph", "dot", "--directory", str(tmp_path))
    picture = RULES.drawing(RULES.read_rulegraph(graph))
    assert (PROJECT / "docs/rules.svg").read_text(encoding="utf-8") == picture, "out of date: make docs"


# --- tables in the modules' texts


def test_simple_tables_become_markdown():
    written = (
        "Text.\n\n=====  ====  =======\nname   type  meaning\n=====  ====  =======\na      int   first\n"
    )
    written += "             and on\nb            x | <y>\n=====  ====  =======\n\nMore."
    assert script("docs/simple_tables.py").with_markdown_tables(written) == (
        "Text.\n\n| name | type | meaning |\n| --- | --- | --- |\n| a | int | first and on |\n"
        "| b |  | x \\| &lt;y> |\n\nMore."
    )
