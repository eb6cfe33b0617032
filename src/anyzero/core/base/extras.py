"""Parts of the package that may be missing, and how to install what is.

The core and the tools reach such a part only through `find`, at the moment they need it. What is
missing, a folder of the package or a package of somebody else, becomes one sentence with the
command that is right for how anyzero was installed.
"""

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from anyzero.core.base.errors import AnyzeroError, check_name
from anyzero.core.base.nouns import Values


class MissingPartError(AnyzeroError):
    """A part of the package, or a package that it needs, is not installed."""


class Extra(NamedTuple):
    module: str
    extra: str = ""  # what `pip install 'anyzero[...]'` names; empty: it comes with anyzero itself


PARTS = {
    "fastnets": Extra("anyzero.extras.fastnets"),
    "browser": Extra("anyzero.extras.browser", "browser"),
    "bots": Extra("anyzero.extras.bots"),
    "cluster": Extra("anyzero.extras.cluster", "ray"),
    "export": Extra("anyzero.extras.export"),
    "laws": Extra("anyzero.tools.laws"),
}
EXTRA_OF = {
    "torch": "train",
    "numba_cuda": "cuda",
    "wasmtime": "browser",
    "onnx": "onnx",
    "onnxruntime": "onnx",
    "ray": "ray",
    "fastapi": "app",
    "uvicorn": "app",
    "websockets": "app",
    "matplotlib": "app",
}
"""The extra with which each package of somebody else is installed."""


def find(name: str) -> ModuleType:
    """The module of this part; MissingPartError, with the command that installs it."""
    check_name("part of anyzero", name, PARTS)
    part = PARTS[name]
    try:
        return importlib.import_module(part.module)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if is_within(part.module, missing):
            command = install_command(part.extra, again=True)
            sentence = f"this needs {part.module}, which is not installed here: {command}"
        elif is_within("anyzero", missing.partition(".")[0]):
            raise  # the package itself is at fault
        else:
            sentence = needs_package(missing, part.extra)
        raise MissingPartError(sentence) from error


def find_or_none(name: str) -> ModuleType | None:
    """The module of this part; None if it is not installed."""
    try:
        return find(name)
    except MissingPartError:
        return None


def is_within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def needs_package(package: str, extra: str = "") -> str:
    """The sentence about a package of somebody else that is missing."""
    package = package.partition(".")[0]
    extra = EXTRA_OF.get(package, extra)
    command = install_command(extra) if extra else package_command(package)
    return f"this needs {package.replace('_', '-')}: {command}"


# --- the right command


class Installation(NamedTuple):
    """How anyzero came to be here."""

    tool: str = "pip"  # or `uv`, `pipx`, `uv tool`
    source: str = ""  # the folder, repository or file that it was installed from; empty: the index
    editable: bool = False

    @property
    def is_folder(self) -> bool:
        return self.source != "" and "://" not in self.source


INSTALL = {
    "pip": "pip install",
    "uv": "uv pip install",
    "pipx": "pipx install --force",
    "uv tool": "uv tool install --force",
}
ADD = {
    "pip": "pip install {package}",
    "uv": "uv pip install {package}",
    "pipx": "pipx inject anyzero {package}",
    "uv tool": "uv tool install --force --with {package} {anyzero}",
}
AGAIN = {"pip": "--force-reinstall", "uv": "--reinstall"}


def install_command(
    extra: str, installation: Installation | None = None, *, again: bool = False
) -> str:
    """The command that adds an extra to this installation; `again`: although it seems complete."""
    installation = installation or this_installation()
    command = INSTALL[installation.tool]
    if again and installation.tool in AGAIN:
        command += f" {AGAIN[installation.tool]}"
    return f"{command} {requirement(installation, extra)}"


def package_command(package: str, installation: Installation | None = None) -> str:
    """The command that adds a package of somebody else to this installation."""
    installation = installation or this_installation()
    return ADD[installation.tool].format(package=package, anyzero=requirement(installation))


def requirement(installation: Installation, extra: str = "") -> str:
    """anyzero with an extra, from where this one came, quoted for a shell."""
    extras = f"[{extra}]" if extra else ""
    if installation.is_folder:
        folder = "." if Path(installation.source) == Path.cwd() else installation.source
        flag = "--editable " if installation.editable else ""
        return f"{flag}'{folder}{extras}'"
    if installation.source:
        return f"'anyzero{extras} @ {installation.source}'"
    return f"'anyzero{extras}'" if extra else "anyzero"


def this_installation() -> Installation:
    """How the package that runs here was installed."""
    from importlib.metadata import PackageNotFoundError, distribution

    root = Path(__file__).resolve().parents[4]
    is_checkout = (root / "pyproject.toml").is_file() and (root / "src" / "anyzero").is_dir()
    try:
        package = distribution("anyzero")
    except PackageNotFoundError:
        return Installation("pip", str(root), editable=True) if is_checkout else Installation()
    tool = tool_of((package.read_text("INSTALLER") or "").strip(), Path(sys.prefix))
    if is_checkout:
        return Installation(tool, str(root), editable=True)
    return installation_from(tool, json.loads(package.read_text("direct_url.json") or "{}"))


def tool_of(installer: str, prefix: Path) -> str:
    """What installed the package into the environment at `prefix`, by its INSTALLER file."""
    if (prefix / "pipx_metadata.json").exists():
        return "pipx"
    if (prefix / "uv-receipt.toml").exists():
        return "uv tool"
    return "uv" if installer == "uv" else "pip"


def installation_from(tool: str, origin: Values) -> Installation:
    """From the content of direct_url.json, which an installation from the index does not have."""
    url = str(origin.get("url", ""))
    if url.startswith("file://"):
        path = Path(unquote(urlsplit(url).path))
        if not path.is_dir():  # it is gone, or was a wheel
            return Installation(tool)
        return Installation(tool, str(path), bool(origin.get("dir_info", {}).get("editable")))
    version_control = origin.get("vcs_info")
    if version_control:
        revision = version_control.get("requested_revision")
        url = f"{version_control['vcs']}+{url}" + (f"@{revision}" if revision else "")
    return Installation(tool, url)
