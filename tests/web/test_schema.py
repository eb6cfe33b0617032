"""What the API says about itself holds for whatever one asks."""

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

EXAMPLES = 12


@pytest.mark.slow
def test_no_request_makes_the_server_fail(server):
    schemathesis = pytest.importorskip("schemathesis")
    schema = schemathesis.openapi.from_dict(httpx.get(server.url + "openapi.json").json())
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) >= 10

    @settings(max_examples=EXAMPLES * len(operations))
    @given(st.one_of([operation.as_strategy() for operation in operations]))
    def check(case):
        answer = case.call(base_url=server.url.rstrip("/"))
        assert answer.status_code < 500
        if answer.status_code >= 400:
            assert set(answer.json()) <= {"error", "detail"}

    check()
