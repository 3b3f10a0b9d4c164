"""The pages in a real browser: nothing loaded, nothing clipped, everything that moves moves."""

import re

import pytest
from playwright.sync_api import expect

ALPHAS, SEEDS = ["0.3", "0.5"], [1, 2, 3]  # of the whole study
PAGES = ("index.html", "examples.html")
WIDE, NARROW = 1280, 390

# Text that is cut off, runs out of its box, or lies outside of the page.
CLIPPED = """() => {
  const found = [];
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) found.push("the page scrolls sideways");
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].filter((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own.length || element.closest(".unseen, .skip, script, style, option, #tip") || !element.checkVisibility()) continue;
    const boxes = own.map((node) => { const range = document.createRange(); range.selectNode(node); return range.getBoundingClientRect(); });
    const text = { left: Math.min(...boxes.map((box) => box.left)), right: Math.max(...boxes.map((box) => box.right)) };
    const say = (why) => found.push(`${why}: ${element.textContent.trim().slice(0, 40)} [${text.left}, ${text.right}]`);
    // What scrolls sideways is meant to.
    if (element.closest(".scroll, .drawing")) continue;
    if (text.left < -0.5 || text.right > width + 0.5) say("outside of the page");
    for (let box = element; box !== document.body; box = box.parentElement) {
      const style = getComputedStyle(box);
      if (style.overflowX === "visible" || box.matches("svg, svg *")) continue;
      const edge = box.getBoundingClientRect();
      if (text.left < edge.left - 1 || text.right > edge.right + 1) say(`cut by ${box.className || box.tagName}`);
    }
  }
  return found;
}"""

# Contrast of every text with what is behind it (WCAG 2.2, 1.4.3: 4.5, large text 3).
FAINT_TEXT = """() => {
  const channel = (value) => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (color) => { const [r, g, b] = numbers(color); return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b); };
  const behind = (element) => {
    for (; element; element = element.parentElement) {
      const color = getComputedStyle(element).backgroundColor;
      const [, , , alpha = 1] = numbers(color);
      if (alpha === 1) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || element.closest(".unseen, .skip, script, style, option, #tip") || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const text = element.matches("svg *") ? style.fill : style.color;
    const [one, other] = [light(text), light(behind(element))].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) found.push(`${ratio.toFixed(2)}: ${element.textContent.trim().slice(0, 40)}`);
  }
  return found;
}"""


@pytest.fixture
def show(browser, pages):
    """A function that opens a page without network; what the page complains about fails the test."""
    contexts, complaints, requests = [], [], []

    def page(name, width=WIDE, scheme="light"):
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True
        )
        contexts.append(context)
        opened = context.new_page()
        opened.set_default_timeout(10_000)
        opened.on("console", lambda message: complaints.append(message.text))
        opened.on("pageerror", lambda error: complaints.append(str(error)))
        opened.on("dialog", lambda dialog: complaints.append(dialog.message))
        opened.on("request", lambda request: requests.append(request.url))
        opened.goto((pages / name).as_uri())
        return opened

    yield page
    for context in contexts:
        context.close()
    assert complaints == []
    assert [url for url in requests if not url.endswith(PAGES) and not url.startswith("data:")] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("name", PAGES)
def test_no_text_is_clipped_or_faint(show, name, width, scheme):
    page = show(name, width, scheme)
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    assert page.evaluate(CLIPPED) == []
    assert page.evaluate(FAINT_TEXT) == []


def test_the_check_finds_clipped_and_faint_text(show):
    page = show("index.html")
    page.evaluate(
        """() => { const one = document.querySelector("h2");
        one.style.cssText = "width: 30px; overflow: hidden; white-space: nowrap; color: #ddd"; }"""
    )
    assert len(page.evaluate(CLIPPED)) == 1
    assert len(page.evaluate(FAINT_TEXT)) == 1


def test_colours_follow_the_system(show):
    background = "getComputedStyle(document.body).backgroundColor"
    light, dark = (show("index.html", scheme=scheme).evaluate(background) for scheme in ("light", "dark"))
    assert light != dark


def column(page, table, place):
    return [cell.strip() for cell in page.locator(f"#{table} tbody td:nth-child({place})").all_inner_texts()]


def test_a_heading_sorts_its_table_down_up_and_back(show):
    page = show("index.html")
    heading = page.locator("#table5 thead th", has_text="ZAR F1")
    written = column(page, "table5", 1)
    heading.locator("button").click()
    down = [float(text.split()[0]) for text in column(page, "table5", 3)]
    assert down == sorted(down, reverse=True)
    assert heading.get_attribute("aria-sort") == "descending"
    assert column(page, "table5", 1) != written
    heading.locator("button").click()
    assert [float(text.split()[0]) for text in column(page, "table5", 3)] == sorted(down)
    heading.locator("button").click()
    assert column(page, "table5", 1) == written
    assert heading.get_attribute("aria-sort") is None
    # By keyboard too; empty cells come last either way.
    page.locator("#table5 thead button").first.focus()
    page.keyboard.press("Enter")
    names = column(page, "table5", 1)
    assert names == sorted(names)
    assert names[0] == "all"
    button = page.locator("#table4 thead button", has_text="α")
    for _ in range(2):
        button.click()
        assert [text == "" for text in column(page, "table4", 2)] == [False, False, True, True]


def test_numbers_stand_right_above_their_spread_and_the_best_is_bold(show):
    page = show("index.html")
    cells = page.locator("#table5 tbody td.number:nth-child(3)")
    aligned = cells.evaluate_all("all => all.map((one) => getComputedStyle(one).textAlign)")
    assert set(aligned) == {"right"}
    values = [float(text.split()[0]) for text in column(page, "table5", 3)]
    assert float(page.locator("#table5 td:nth-child(3) > b").inner_text()) == max(values)
    assert re.fullmatch(r"\d+\.\d\d\npaper 64\.08", cells.first.inner_text())
    page.locator("#table5 .more input").check()
    known = r"\d+\.\d\d\nSD \d\.\d\d\nSE \d\.\d\d\nnested \d+\.\d\d\npaper 64\.08"
    assert re.fullmatch(known, cells.first.inner_text())
    texts = [text.strip() for text in page.locator("#significance td[data-heading='p']").all_text_contents()]
    assert all(re.fullmatch(r"(≤ )?[01]\.\d{4}", text) for text in texts)
    assert "≤ 0.0050" in texts  # of 200 permutations
    assert "0.0000" not in texts


def test_a_table_that_does_not_fit_scrolls_behind_its_first_column_and_is_cards_on_paper(show):
    page = show("index.html", NARROW)
    scroll = page.locator("#table6 .scroll")
    first, second = (scroll.locator("tbody tr").first.locator("td").nth(place) for place in (0, 3))
    before = first.bounding_box()["x"], second.bounding_box()["x"]
    assert scroll.evaluate("one => one.scrollWidth > one.clientWidth")
    expect(page.locator("#table6 .sortable")).to_have_class(re.compile("goes-on"))
    scroll.evaluate("one => { one.scrollLeft = 120; }")
    assert first.bounding_box()["x"] == pytest.approx(before[0], abs=6)
    assert second.bounding_box()["x"] == pytest.approx(before[1] - 120, abs=1)
    behind = "one => getComputedStyle(one).backgroundColor"
    assert first.evaluate(behind) not in ("transparent", "rgba(0, 0, 0, 0)")
    page.emulate_media(media="print")
    expect(page.locator("#table6 table")).to_have_class("cards")
    page.emulate_media(media="screen")
    expect(page.locator("#table6 table")).not_to_have_class("cards")


def test_the_forest_plot_filters_and_sorts(show):
    page = show("index.html")
    marks = page.locator("#forest-chart g.difference")
    expect(marks).to_have_count(2 * 6)  # ZAR
    page.get_by_label("every one").check()
    expect(marks).to_have_count(2 * 6 * 3)
    page.get_by_label("single", exact=True).check()
    expect(marks).to_have_count(6 * 3)
    page.get_by_label("by difference").check()
    tips = marks.evaluate_all("all => all.map((one) => one.dataset.tip)")
    found = [
        float(re.search(r"([+−±][\d.]+) points", tip)[1].translate({0x2212: "-", 0xB1: "+"})) for tip in tips
    ]
    assert found == sorted(found, reverse=True)
    page.locator("#forest-chart [tabindex='0']").focus()
    expect(page.locator("#tip")).to_contain_text("points of F1")
    first = page.locator("#tip").inner_text()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#tip")).not_to_have_text(first)


def test_each_seed_is_a_dot(show):
    page = show("index.html")
    card = page.locator(".glance > div").first
    assert "Test set, single models" in card.inner_text()
    assert [strip.locator("i").count() for strip in card.locator(".strip").all()] == [len(SEEDS)] * 2
    card.locator("i").first.focus()
    expect(page.locator("#tip")).to_contain_text(re.compile(r"seed \d: ZAR F1 \d+\.\d\d"))


def test_a_table_is_copied_as_text(show):
    page = show("index.html")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#table4 .texts summary").click()
    page.locator("#table4 .copy", has_text="Copy LaTeX").click()
    expect(page.locator("#table4 .copy").last).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("% needs")
    assert r"\label{tab:table4}" in copied


def test_a_point_shows_its_numbers_on_hover_and_on_focus(show):
    page = show("index.html")
    tip = page.locator("#tip")
    expect(tip).to_be_hidden()
    point = page.locator("#figure3-chart g.line[data-name=all_but_verb] g.point").last
    point.scroll_into_view_if_needed()
    point.hover()
    expect(tip).to_contain_text("all but verb, α = 0.5\nZAR F1 ")
    expect(tip).to_contain_text("% of tokens masked")
    page.mouse.move(2, 2)
    expect(tip).to_be_hidden()
    page.locator("#figure3-chart [tabindex='0']").focus()
    expect(tip).to_contain_text("baseline\nZAR F1 ")
    page.keyboard.press("ArrowRight")
    expect(tip).to_contain_text("all, α = 0.3")
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_every_tooltip_stays_on_the_page(show, width):
    page = show("index.html", width)
    edges = """all => all.map((one) => { one.focus(); const box = document.getElementById("tip").getBoundingClientRect();
      return [box.left, box.right]; })"""
    for left, right in page.locator("#figure3-chart [data-tip]").evaluate_all(edges):
        assert 0 <= left < right <= width


def test_figure_3_has_its_lines_and_points_and_its_legend_hides_a_line(show):
    page = show("index.html")
    figure = page.locator("#figure3-chart")
    assert figure.locator("g.point").count() == 3 * len(ALPHAS)  # of all, all_but_verb, all_but_noun
    assert figure.locator("g.baseline").count() == 1
    assert set(figure.locator("g.point text").all_text_contents()) == set(ALPHAS)
    button = page.locator("#figure3-legend button", has_text="all but verb")
    button.click()
    expect(figure.locator("g.line")).to_have_count(2)
    assert button.get_attribute("aria-pressed") == "false"
    button.click()
    expect(figure.locator("g.line")).to_have_count(3)


def test_learning_curves_have_a_chart_per_recipe_and_switch_to_loss(show):
    page = show("index.html")
    charts = page.locator("#curves .chart")
    assert charts.count() == len(set(page.locator("#curves figcaption").all_inner_texts()))
    assert charts.first.locator("path.seed").count() == len(SEEDS)
    first = charts.first.locator("path.mean")
    f1 = first.get_attribute("d")
    page.get_by_label("training loss").check()
    assert first.get_attribute("d") != f1
    charts.first.locator("[tabindex='0']").focus()
    expect(page.locator("#tip")).to_contain_text("epoch 1: training loss 10.000")


def test_hostile_tokens_are_text_and_only_the_target_is_inverted_and_never_masked(show):
    page = show("examples.html")
    tokens = set(page.locator(".token").all_inner_texts())
    assert {"<script>alert(1)</script>", '"', "&amp;", "'onclick='x"} <= tokens
    assert page.locator("article script").count() == 0
    assert page.locator("[onclick]").count() == 0
    articles = page.locator("article").count()
    assert page.locator("article .column:has(.predicate)").count() == articles
    assert page.locator("article:has(.predicate)").count() == articles
    assert page.locator("article .column:has(.predicate) .mask").count() == 0
    answers = page.locator("article .said .chip").all_inner_texts()  # what is right is said without colour
    assert answers
    assert all(text.split()[0] in ("NOM", "ACC", "DAT") and text.split()[1] in "✓✗" for text in answers)


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_tokens_stand_below_each_other(show, width):
    page = show("examples.html", width)
    article = page.locator("article").first
    columns = article.locator(".column")
    lefts = """all => all.map((one) => [...one.querySelectorAll(".row")].filter((row) => row.checkVisibility())
      .map((row) => row.getBoundingClientRect().left))"""
    for of_column in columns.evaluate_all(lefts):
        assert len(of_column) == 2 + 2 * 3  # gold and X; X', X'' and the answer of two POS sets
        assert len(set(of_column)) == 1
    tops = columns.evaluate_all("all => all.map((one) => one.offsetTop)")
    labels = article.locator(".labels").evaluate_all("all => all.map((one) => one.offsetTop)")
    assert labels == sorted(set(tops))  # each line has its labels


def test_a_masked_token_shows_the_mlms_words(show):
    page = show("examples.html")
    word = page.locator("article .word:visible").first
    tip = page.locator("#tip")
    word.scroll_into_view_if_needed()
    word.hover()
    expect(tip.locator("tr")).to_have_count(5)
    probabilities = [float(text) for text in tip.locator("td:nth-child(2)").all_inner_texts()]
    assert probabilities == sorted(probabilities, reverse=True)
    assert tip.locator("td").first.inner_text() == word.inner_text()
    page.mouse.move(2, 2)
    expect(tip).to_be_hidden()
    word.focus()
    expect(tip).to_be_visible()


def attributes(elements, name):
    return set(elements.evaluate_all("(all, name) => all.map((one) => one.dataset[name])", name))


def test_filters_by_pos_set_alpha_and_right_or_wrong(show):
    page = show("examples.html")
    articles = page.locator("article:visible")
    everything = articles.count()
    assert 2 <= everything <= 6 * len(ALPHAS)
    expect(page.locator("article .said .copy:visible")).to_have_count(2 * everything)
    page.get_by_label("0.3", exact=True).check()
    assert attributes(articles, "alpha") == {"0.3"}
    page.get_by_label("right ✓").check()
    shown = page.locator("article .said .copy:visible")
    assert attributes(shown, "right") == {"yes"}
    page.get_by_label("all_but_verb", exact=True).uncheck()
    assert attributes(shown, "set") == {"verb"}
    assert shown.count() == articles.count()
    expect(page.locator("#count")).to_have_text(f"{articles.count()} of {everything} sentences")
    page.get_by_label("verb", exact=True).uncheck()
    expect(articles).to_have_count(0)


def test_the_pages_lead_to_each_other(show):
    page = show("index.html")
    page.get_by_role("link", name="examples.html").first.click()
    expect(page.locator("h1")).to_contain_text("Masked and refilled")
    page.get_by_role("link", name="Back to the tables").click()
    expect(page.locator("h1")).to_contain_text("Data augmentation")


A4_WIDTH, A4_HEIGHT = (round(millimetres / 25.4 * 96) for millimetres in (210 - 2 * 12, 297 - 2 * 14))


@pytest.mark.parametrize("name", PAGES)
def test_printed_pages_are_filled(show, name):
    """No block is kept together that pushes half a page of white before it."""
    page = show(name, A4_WIDTH)
    page.emulate_media(media="print")
    height = page.evaluate("document.documentElement.scrollHeight")
    printed = page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n")
    assert printed >= 1
    assert printed <= 1.2 * height / A4_HEIGHT + 1
    assert page.evaluate(CLIPPED) == []
    assert not page.locator("nav.contents").is_visible()
