"""One server for all tests that do not stop it, and a browser where there is one."""

import contextlib
import shutil

import pytest

from tests.web.folders import fill
from tests.web.server import ServerProcess

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """With runs, a network, an experiment and a user's own games."""
    folder = tmp_path_factory.mktemp("server")
    process = ServerProcess(folder, *fill(folder))
    yield process
    process.stop()


@pytest.fixture(scope="session")
def browser():
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("there is no Chromium on this machine")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, headless=True, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def page(browser):
    with watched_page(browser, viewport={"width": 1280, "height": 860}) as page:
        yield page


@pytest.fixture
def phone(browser):
    """A small screen that is touched."""
    with watched_page(browser, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True) as page:
        yield page


@contextlib.contextmanager
def watched_page(browser, **options):
    """A tab in which nothing may go wrong, and from which nothing may leave the machine."""
    context = browser.new_context(reduced_motion="reduce", **options)
    page, wrong = context.new_page(), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: wrong.append(request.url) if "127.0.0.1" not in request.url else None)
    yield page
    context.close()
    assert not wrong
