"""The files of the page, read once: what is not among them when the server starts is not served."""

import hashlib
import mimetypes
from importlib.resources import files
from typing import NamedTuple

from anyzero.web.scene_form import palette_sheet

TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}


class Page(NamedTuple):
    content: bytes
    kind: str
    tag: str
    """Changes with the content."""


def read_pages() -> dict[str, Page]:
    """All files by the name that a browser asks for."""
    folder = files("anyzero.web") / "static"
    found = {file.name: make_page(file.name, file.read_bytes()) for file in folder.iterdir() if file.is_file()}
    found["palette.css"] = make_page("palette.css", palette_sheet().encode())
    return found


def make_page(name: str, content: bytes) -> Page:
    suffix = name[name.rfind(".") :]
    kind = TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    charset = "; charset=utf-8" if kind.startswith(("text/", "image/svg")) else ""
    return Page(content, kind + charset, f'"{hashlib.sha256(content).hexdigest()[:24]}"')
