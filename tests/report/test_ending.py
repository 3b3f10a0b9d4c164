"""What a run says at its end."""

from pathlib import Path

from zarpipe.report.ending import ending


def _shown(made):
    """When Table 4 was copied to where people look."""
    made.show()
    return Path(made.study.shown("table4.json")).stat().st_mtime


def test_a_run_that_has_made_table_4_ends_with_it(whole_study):
    made = _shown(whole_study)
    said = ending(whole_study.study, made - 1).splitlines()
    assert said[1].startswith("Table 4: augmentation methods")
    methods = [line.split()[0] for line in said[3:7]]
    assert methods == ["baseline", "baseline2x", "cda", "masking"]
    assert len({len(line) for line in said[3:7]}) == 1
    assert "Next:" in said
    assert any("zarpipe plan --detect" in line for line in said)


def test_a_run_that_has_not_says_nothing(whole_study, made):
    later = _shown(whole_study) + 1
    assert ending(whole_study.study, later) == ""
    assert ending(made.study, 0) == ""
