"""Any input at all: tiles, melds, score cases, manifests and settings are read, or refused by our own errors."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mjsim
from mjsim.errors import MjsimError
from mjsim.hands.melds import parse_meld
from mjsim.tiles import KINDS, kinds_of, parse, text
from tests.test_messages import CASE

pytestmark = pytest.mark.usefixtures("compiled_engine")

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.just(10**4000)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
NOTATION = st.text(st.sampled_from("0123456789mpsz <+-chowpungk\0\n٣五"), max_size=30)


def look_at(error: MjsimError, most: int, start: str = "") -> None:
    """A refusal has a message that is not too long and starts with the file, where there is one."""
    assert str(error).startswith(start)
    assert 0 < len(str(error)) < most


@given(st.text() | NOTATION)
def test_any_text_is_tiles_or_refused(written: str) -> None:
    for read in (parse, parse_meld):
        try:
            read(written)
        except MjsimError as error:
            look_at(error, 500)


@given(st.lists(st.integers(0, 4), min_size=KINDS, max_size=KINDS))
def test_tiles_are_written_so_that_they_read_the_same(counts: list[int]) -> None:
    kinds = kinds_of(counts)
    assert parse(text(kinds)) == kinds


@given(
    st.dictionaries(
        st.sampled_from([*CASE, "options", "chain", "fish", "horses", "moment", "expect"]), VALUES, max_size=3
    )
)
def test_any_case_is_answered_or_refused(changes: dict[str, Any]) -> None:
    answer = mjsim.score(CASE | changes)
    if "error" in answer:
        assert set(answer) == {"id", "error"}
        assert 0 < len(answer["error"]) < 20_000
    else:
        assert sum(answer["net"]) == 0


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A run of two deals, and its manifest."""
    folder = tmp_path_factory.mktemp("properties") / "run"
    mjsim.simulate("liuzhou", deals=2).write(folder)
    return folder, json.loads((folder / "run.json").read_text(encoding="utf-8"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), value=VALUES)
def test_any_value_in_a_manifest_is_read_or_refused_by_the_file(
    run_folder: tuple[Path, dict[str, Any]], data: st.DataObject, value: Any
) -> None:
    folder, manifest = run_folder
    changed = copy.deepcopy(manifest)
    place: Any = changed
    while True:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        if not place[key] or not isinstance(place[key], dict | list) or data.draw(st.booleans()):
            break
        place = place[key]
    place[key] = value
    (folder / "run.json").write_text(json.dumps(changed), encoding="utf-8")
    try:
        run = mjsim.open_run(folder)
    except MjsimError as error:
        look_at(error, 50_000, str(folder))
    else:
        assert len(run.to_polars()) == 2
