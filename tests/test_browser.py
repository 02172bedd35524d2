"""Pages in a real browser: they fit phone and desk, light and dark, sort and print, show every character, ask nobody.

Skipped with a message where there is no Chromium.
"""

import base64
import dataclasses
import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

import mjsim
from analysis.answers.summary import summarise
from analysis.comparing.balance import Side, compare
from analysis.counts.counting import aggregate
from analysis.display.text import Term
from analysis.fonts import web_font_path
from analysis.report import comparison_page, report, write_index
from analysis.skill.other_players import by_player
from mjsim.rules import load_rules

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="no chromium or no chromedriver; on Debian: apt-get install chromium-driver"
)

WIDTHS: Final = {"phone": (360, 740), "desk": (1280, 900)}
DEALS: Final = 4000
SMALLEST_TEXT: Final = 11

#: Addresses with their data in them, and those of the browser's own first page.
_INSIDE: Final = ("data:", "chrome:", "about:")

#: What is wrong with a page, as sentences.
FAULTS = """
const faults = [], width = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth > width)
  faults.push(`the page is ${document.documentElement.scrollWidth} wide`);
const scrolls = (element) => {
  for (let box = element.parentElement; box && box !== document.body; box = box.parentElement)
    if (["auto", "scroll", "hidden"].includes(getComputedStyle(box).overflowX)) return true;
  return false;
};
for (const element of document.body.querySelectorAll("*")) {
  if (["SCRIPT", "STYLE"].includes(element.tagName) || !element.checkVisibility({visibilityProperty: true})) continue;
  const box = element.getBoundingClientRect();
  const said = `${element.tagName} ${element.className.baseVal ?? element.className}: `
    + element.textContent.trim().slice(0, 40);
  if (box.right > width + 0.5 && !scrolls(element)) faults.push(`reaches ${box.right.toFixed(1)}: ${said}`);
  const words = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  if (words && box.width && parseFloat(getComputedStyle(element).fontSize) < arguments[0])
    faults.push(`small text: ${said}`);
  if (element.tagName === "text") {
    const paper = element.ownerSVGElement.getBoundingClientRect();
    if (box.left < paper.left - 1 || box.right > paper.right + 1) faults.push(`leaves its drawing: ${said}`);
  }
}
return faults.slice(0, 10);
"""


#: Whether the font that a page carries can be used.
FONT = """
return document.fonts.load('16px "mjsim sans"', "鱼").then((faces) => faces.map((face) => face.status));
"""


def side(name: str, **options: Any) -> Side:
    run = mjsim.simulate(load_rules(name, **options), deals=DEALS, seed=1)
    key = ",".join([name, *(f"{option}={str(value).lower()}" for option, value in options.items())])
    return Side(key, Term(key, key), run.manifest().model_dump(), aggregate(run.to_polars()))


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of small reports, a comparison and their index."""
    folder = tmp_path_factory.mktemp("reports")
    run = mjsim.simulate("liuzhou", deals=DEALS, seed=1)
    frame, manifest = run.to_polars(), run.manifest().model_dump()
    summary = summarise(frame, manifest).beside(by_player(frame, manifest))
    horses = mjsim.simulate("nanning_laiyouxi", deals=DEALS, seed=1, session=8)
    variants = [side("liuzhou", chow=False), side("liuzhou", rob_kong=False)]
    compared = compare(side("liuzhou"), variants, command="mjsim compare liuzhou chow=false rob_kong=false")
    compared = dataclasses.replace(compared, switches=(variants[1].key,))
    texts = {
        "liuzhou.html": report(summary),
        "liuzhou.zh.html": report(summary, "zh"),
        "horses.zh.html": report(summarise(horses.to_polars(), horses.manifest().model_dump()), "zh"),
        "compared.html": comparison_page(compared),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    write_index(folder)
    return folder


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """A browser without a window that asks no server for anything."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for argument in ("headless=new", "disable-gpu", "disable-dev-shm-usage", "hide-scrollbars", "no-first-run"):
        options.add_argument(f"--{argument}")
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('browser')}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("SE_OFFLINE", "true")
        environment.setenv("SE_AVOID_STATS", "true")
        driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
        try:
            yield driver
        finally:
            driver.quit()


def shown(browser: webdriver.Chrome, page: Path, place: str = "desk", scheme: str = "light") -> None:
    """Open a page, everything that can be unfolded being so, and look at it in a size and a colour scheme."""
    entries(browser, "performance")
    browser.get(page.as_uri())
    browser.execute_script("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    look(browser, place, scheme)


def look(browser: webdriver.Chrome, place: str, scheme: str) -> None:
    width, height = WIDTHS[place]
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": place == "phone"},
    )
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "screen", "features": [feature]})


def entries(browser: webdriver.Chrome, log: str) -> list[dict[str, Any]]:
    """What a log has said since it was read last."""
    found: list[dict[str, Any]] = browser.execute("getLog", {"type": log})["value"]
    return found


def requested(browser: webdriver.Chrome) -> set[str]:
    """Addresses asked for since the log was read last, but those in the page or in the browser itself."""
    messages = [json.loads(entry["message"])["message"] for entry in entries(browser, "performance")]
    sent = [each["params"] for each in messages if each["method"] == "Network.requestWillBeSent"]
    addresses = {each["request"]["url"] for each in sent}
    return {address for address in addresses if not address.startswith(_INSIDE)}


def brightness(browser: webdriver.Chrome) -> int:
    colour = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    return sum(map(int, re.findall(r"[0-9]+", colour)[:3]))


def test_pages_fit_phone_and_desk_in_light_and_dark(browser: webdriver.Chrome, pages: Path) -> None:
    font = set(TTFont(web_font_path()).getBestCmap())
    found = sorted(pages.glob("*.html"))
    assert len(found) == 5
    for page in found:
        shown(browser, page)
        for place in WIDTHS:
            bright = {}
            for scheme in ("light", "dark"):
                look(browser, place, scheme)
                bright[scheme] = brightness(browser)
            assert bright["dark"] < 200 < 600 < bright["light"]
            assert browser.execute_script(FAULTS, SMALLEST_TEXT) == [], f"{page.name} on a {place}"
        assert requested(browser) == {page.as_uri()}
        assert entries(browser, "browser") == []
        assert browser.execute_script(FONT) == ["loaded"]
        characters = set(map(ord, browser.execute_script("return document.documentElement.textContent")))
        assert {chr(each) for each in characters if each > 0x2E7F} - set(map(chr, font)) == set()


def head_of(browser: webdriver.Chrome, table: str, place: int) -> tuple[WebElement, WebElement]:
    """A heading of a table, and the button in it."""
    head = browser.find_elements(By.CSS_SELECTOR, f"#{table} thead th")[place]
    return head, head.find_element(By.TAG_NAME, "button")


def column(browser: webdriver.Chrome, table: str, place: int) -> list[float | None]:
    """What a column of a table is sorted by, from above."""
    rows = f"[...document.querySelectorAll('#{table} tbody tr')]"
    values: list[str | None] = browser.execute_script(
        f"return {rows}.map((row) => row.cells[{place}].dataset.value ?? null)"
    )
    return [None if value is None else float(value) for value in values]


def announced(browser: webdriver.Chrome) -> str:
    said = browser.find_element(By.ID, "announcement")
    assert said.get_attribute("aria-live") == "polite"
    return str(said.get_attribute("textContent"))


@pytest.mark.parametrize("place", list(WIDTHS))
def test_tables_are_sorted_by_click_and_by_key_and_say_so(browser: webdriver.Chrome, pages: Path, place: str) -> None:
    shown(browser, pages / "liuzhou.html", place)
    original = column(browser, "hand_types", 1)
    falling = sorted((value for value in original if value is not None), reverse=True)
    assert len(falling) > 8
    assert original != falling
    head, button = head_of(browser, "hand_types", 1)
    assert head.get_attribute("aria-sort") == "none"
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    assert column(browser, "hand_types", 1) == falling
    assert head.get_attribute("aria-sort") == "descending"
    assert announced(browser) == "Hand types and events: sorted by winning hands, largest first"
    button.send_keys(Keys.SPACE)
    assert column(browser, "hand_types", 1) == falling[::-1]
    assert announced(browser).endswith("smallest first")
    button.send_keys(Keys.ENTER)
    assert column(browser, "hand_types", 1) == original
    assert head.get_attribute("aria-sort") == "none"
    assert announced(browser).endswith("in the original order")

    label, name = head_of(browser, "hand_types", 0)
    button.click()
    name.send_keys(Keys.ENTER)
    assert (label.get_attribute("aria-sort"), head.get_attribute("aria-sort")) == ("ascending", "none")
    assert announced(browser).endswith("alphabetically")


def test_what_has_no_number_is_sorted_last(browser: webdriver.Chrome, pages: Path) -> None:
    shown(browser, pages / "liuzhou.html")
    for _ in range(2):
        head_of(browser, "hand_types", 4)[1].click()
        values = column(browser, "hand_types", 4)
        known = [value for value in values if value is not None]
        assert 0 < len(known) < len(values)
        assert values[: len(known)] == known


def test_pages_print(browser: webdriver.Chrome, pages: Path) -> None:
    for name in ("liuzhou.zh.html", "compared.html", "index.html"):
        browser.get((pages / name).as_uri())
        printed = browser.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})
        document = base64.b64decode(printed["data"])
        sheets = len(re.findall(rb"/Type\s*/Page\b(?!s)", document))
        assert document.startswith(b"%PDF")
        assert (1 if name == "index.html" else 4) <= sheets < 60


def test_pages_are_whole_without_their_script(browser: webdriver.Chrome, pages: Path) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get((pages / "liuzhou.html").as_uri())
        assert browser.find_elements(By.TAG_NAME, "button") == []
        heading = browser.find_element(By.CSS_SELECTOR, "#hand_types thead th:nth-child(2)")
        assert heading.text == "winning hands"
        first = browser.find_element(By.CSS_SELECTOR, "details.worth")
        first.find_element(By.TAG_NAME, "summary").click()
        assert first.find_element(By.CSS_SELECTOR, "article.deal h3").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_what_is_wrong_with_a_page_is_found(browser: webdriver.Chrome, tmp_path: Path) -> None:
    page = tmp_path / "wrong.html"
    page.write_text(
        '<!DOCTYPE html><meta charset="utf-8"><p style="width: 2000px">wide</p><p style="font-size: 10px">small</p>'
        '<svg width="40" height="20"><text x="30" y="15">beyond</text></svg><script>nothing.at.all</script>',
        encoding="utf-8",
    )
    shown(browser, page)
    faults = browser.execute_script(FAULTS, SMALLEST_TEXT)
    for fault in ("the page is 20", "reaches 20", "small text: P", "leaves its drawing: text"):
        assert any(fault in said for said in faults), faults
    assert "nothing is not defined" in str(entries(browser, "browser"))
