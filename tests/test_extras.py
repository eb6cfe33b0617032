"""Parts that may be missing: found by name, and installed by the command for this installation."""

import sys

import pytest

from anyzero.core.base import extras
from anyzero.core.base.errors import UnknownNameError
from anyzero.core.base.extras import (
    Installation,
    MissingPartError,
    find,
    find_or_none,
    install_command,
    installation_from,
    needs_package,
    package_command,
    tool_of,
)


@pytest.mark.parametrize("name", extras.PARTS)
def test_each_part_is_found_by_its_name(name):
    assert find(name).__name__ == extras.PARTS[name].module


def test_an_unknown_part_names_the_known_ones():
    with pytest.raises(UnknownNameError, match="did you mean browser"):
        find("browsr")


def test_a_missing_folder_is_one_sentence_with_a_command(monkeypatch):
    gone = extras.PARTS["bots"]._replace(module="anyzero.extras.robots")
    monkeypatch.setitem(extras.PARTS, "bots", gone)
    with pytest.raises(MissingPartError, match="robots, which is not installed here"):
        find("bots")
    assert find_or_none("bots") is None


def test_a_missing_package_is_one_sentence_with_its_extra(monkeypatch):
    module = "anyzero.extras.cluster.pool"
    monkeypatch.setitem(extras.PARTS, "cluster", extras.PARTS["cluster"]._replace(module=module))
    monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setattr(extras.importlib, "import_module", no_ray)
    with pytest.raises(MissingPartError, match=r"this needs ray: .*\[ray\]"):
        find("cluster")


def no_ray(name):
    raise ModuleNotFoundError("No module named 'ray.util'", name="ray.util")


def test_a_fault_inside_a_part_is_not_taken_for_a_missing_part(monkeypatch):
    def broken(name):
        raise ModuleNotFoundError("no", name="anyzero.core.bsae")

    monkeypatch.setattr(extras.importlib, "import_module", broken)
    with pytest.raises(ModuleNotFoundError):
        find("bots")


@pytest.mark.parametrize(
    ("installation", "command"),
    [
        (Installation(), "pip install 'anyzero[train]'"),
        (Installation("uv"), "uv pip install 'anyzero[train]'"),
        (Installation("pipx"), "pipx install --force 'anyzero[train]'"),
        (Installation("pipx", "/src/az"), "pipx install --force '/src/az[train]'"),
        (Installation("uv tool"), "uv tool install --force 'anyzero[train]'"),
        (Installation("pip", "/src/az"), "pip install '/src/az[train]'"),
        (Installation("pip", "/src/az", True), "pip install --editable '/src/az[train]'"),
        (
            Installation("pip", "git+https://x.org/az@main"),
            "pip install 'anyzero[train] @ git+https://x.org/az@main'",
        ),
    ],
)
def test_the_command_is_the_one_for_how_anyzero_was_installed(installation, command):
    assert install_command("train", installation) == command


def test_in_the_folder_of_the_source_the_command_says_a_dot(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = Installation("pip", str(tmp_path), editable=True)
    assert install_command("train", source) == "pip install --editable '.[train]'"


def test_a_package_of_somebody_else_goes_into_the_same_environment():
    assert package_command("pandas", Installation()) == "pip install pandas"
    assert package_command("pandas", Installation("pipx")) == "pipx inject anyzero pandas"
    with_it = "uv tool install --force --with pandas anyzero"
    assert package_command("pandas", Installation("uv tool")) == with_it


def test_the_origin_of_an_installation_is_read_from_direct_url(tmp_path):
    folder = {"url": tmp_path.as_uri(), "dir_info": {"editable": True}}
    assert installation_from("pip", folder) == Installation("pip", str(tmp_path), True)
    gone = {"url": (tmp_path / "gone").as_uri(), "dir_info": {}}
    assert installation_from("pipx", gone) == Installation("pipx")
    branch = {
        "url": "https://x.org/az",
        "vcs_info": {"vcs": "git", "requested_revision": "main", "commit_id": "0"},
    }
    assert installation_from("uv", branch) == Installation("uv", "git+https://x.org/az@main")
    assert installation_from("pip", {}) == Installation()


def test_the_tool_is_told_by_what_it_leaves_in_the_environment(tmp_path):
    assert tool_of("pip", tmp_path) == "pip"
    assert tool_of("uv", tmp_path) == "uv"
    (tmp_path / "uv-receipt.toml").touch()
    assert tool_of("uv", tmp_path) == "uv tool"
    (tmp_path / "pipx_metadata.json").touch()
    assert tool_of("pip", tmp_path) == "pipx"


def test_a_missing_package_is_told_with_the_extra_that_brings_it():
    assert needs_package("torch") == f"this needs torch: {install_command('train')}"
    assert needs_package("numba_cuda") == f"this needs numba-cuda: {install_command('cuda')}"
