"""One server for all tests that do not stop it, pages without one, and a browser where there is
one.
"""

import contextlib
import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest

from anyzero.core.base.files import write_whole
from tests import OWN
from tests.web.folders import EXAMPLE, fill, write_site
from tests.web.server import ServerProcess

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
QUIET += ["--disable-gpu", "--disable-site-isolation-trials", "--renderer-process-limit=1"]
"""What a browser does of its own accord takes longer than our pages; one process draws them all."""
DESK = {"width": 1280, "height": 860}
NO_BAR = "try { localStorage.evaluation ??= 'off'; } catch { /* an empty page has none */ }"
"""Who stands better is searched for, and compiled first, in every position that is shown: only
where a test asks.
"""
EMPTY = """() => {
  for (const id of ["content", "toasts", "live"]) document.getElementById(id)?.replaceChildren();
  NO_BAR
}""".replace("NO_BAR", NO_BAR)


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


@pytest.fixture(scope="session")
def desk(browser):
    with watched_tab(browser, viewport=DESK) as tab:
        yield tab


@pytest.fixture(scope="session")
def hand(browser):
    """A small screen that is touched."""
    with watched_tab(
        browser, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True
    ) as tab:
        yield tab


@pytest.fixture
def page(desk, kept):
    with as_new(*desk, kept) as page:
        page.set_viewport_size(DESK)
        yield page


@pytest.fixture
def phone(hand, kept):
    with as_new(*hand, kept) as page:
        yield page


@pytest.fixture
def kept(request):
    """The server whose page stays loaded for the next test, where the test has it."""
    return request.getfixturevalue("server").url if "server" in request.fixturenames else None


@contextlib.contextmanager
def watched_tab(browser, **options):
    """A tab for many tests, since a new one takes twice the time, and all that goes wrong in it or
    leaves the
    machine."""
    context = browser.new_context(reduced_motion="reduce", **options)
    context.add_init_script(NO_BAR)
    page, wrong = context.new_page(), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "request",
        lambda request: wrong.append(request.url) if "127.0.0.1" not in request.url else None,
    )
    yield page, context.new_cdp_session(page), wrong
    context.close()


@contextlib.contextmanager
def as_new(page, devtools, wrong, kept):
    """The tab for one test, in which nothing may go wrong; afterwards nothing is left of it but the
    modules of the page
    of the server `kept`: to load them takes half the time of a test."""
    wrong.clear()
    yield page
    origin = page.evaluate("location.origin")
    page.unroute_all()
    page.context.set_offline(False)
    page.emulate_media(color_scheme="light")
    if kept is None or wrong or f"{origin}/" != kept:
        page.goto("about:blank")
    else:
        page.goto(f"{kept}#/experiments")
        page.wait_for_selector(".page-experiments h1")
    devtools.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
    page.evaluate(EMPTY)
    assert not wrong


# --- pages without a server


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_words):
        """Say nothing."""


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    """A folder that is served as it is: where it is, and its address."""
    folder = tmp_path_factory.mktemp("static")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield SimpleNamespace(folder=folder, url=f"http://127.0.0.1:{server.server_port}/")
        server.shutdown()


@pytest.fixture(scope="session")
def site(served):
    """A page with Connect Four and its net, under a path with a space; RAVE and GRAVE are left to
    slower tests.
    """
    return write_site(served, "a site", ["connect_four"], families=("uct",))


@pytest.fixture(scope="session")
def own_site(served):
    """A page with a user's own game, whose modules for RAVE and GRAVE are left to slower tests."""
    OWN.mkdir(exist_ok=True)
    example = OWN / "my_tic_tac_toe.py"
    write_whole(example, EXAMPLE.read_bytes())
    return write_site(served, "own", [str(example)], families=("uct",))
