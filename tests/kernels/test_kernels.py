"""Compiled loops on disk are never older than any of their sources."""

from shoal.kernels import drop_stale


def test_a_change_in_one_file_drops_what_was_compiled_from_all(tmp_path):
    cache = tmp_path / "__pycache__"
    cache.mkdir()
    (tmp_path / "a.py").write_text("1")
    (tmp_path / "b.py").write_text("2")
    assert drop_stale(tmp_path)
    assert not drop_stale(tmp_path)
    for name in ("a.one.nbi", "a.one.1.nbc", "a.cpython.pyc"):
        (cache / name).write_text("compiled")
    assert not drop_stale(tmp_path)
    assert (cache / "a.one.nbi").exists()
    (tmp_path / "b.py").write_text("3")
    assert drop_stale(tmp_path)
    assert sorted(path.name for path in cache.iterdir()) == ["a.cpython.pyc", "sources.sha256"]
