"""A ZIP gives the expected files, or one sentence; never anything else, whatever is in it."""

from __future__ import annotations

import io
import stat
import struct
import tracemalloc
import zipfile
from pathlib import Path
from zipfile import ZipFile, ZipInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tokumei.contest.unpacking import refuse_packed, unpacked
from tokumei.errors import SubmissionError

NAMES = ("M.csv", "T.csv", "P.csv")
TEXTS = {"M.csv": b"a,f\n", "T.csv": b"a,1\nb,2\n", "P.csv": b"1\n"}
MOST = 1_000


def zipped(members: dict[str, bytes] | list[tuple[ZipInfo | str, bytes]], **more: int) -> bytes:
    packed = io.BytesIO()
    with ZipFile(packed, "w", **({"compression": zipfile.ZIP_DEFLATED} | more)) as archive:
        for name, content in dict(members).items() if isinstance(members, dict) else members:
            archive.writestr(name, content)
    return packed.getvalue()


def unpack(folder: Path, data: bytes, most: int = MOST) -> dict[str, bytes]:
    path = folder / "upload"
    path.write_bytes(data)
    with unpacked(path, NAMES, most) as found:
        assert found.name == "upload"
        return {file.name: file.read_bytes() for file in found.iterdir()}


def refused(folder: Path, data: bytes, most: int = MOST) -> str:
    with pytest.raises(SubmissionError) as error:
        unpack(folder, data, most)
    sentence = str(error.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert str(folder) not in sentence
    return sentence


def with_mode(name: str, mode: int) -> ZipInfo:
    info = ZipInfo(name)
    info.external_attr = mode << 16
    return info


def test_the_expected_files_come_out(tmp_path: Path) -> None:
    assert unpack(tmp_path, zipped(TEXTS)) == TEXTS
    assert unpack(tmp_path, zipped(TEXTS, compression=zipfile.ZIP_STORED)) == TEXTS


def test_a_packed_folder_is_taken_with_what_file_managers_add(tmp_path: Path) -> None:
    members = {"ours/": b"", "__MACOSX/ours/._M.csv": b"x", "ours/.DS_Store": b"x"}
    members |= {f"ours/{name}": text for name, text in TEXTS.items()}
    assert unpack(tmp_path, zipped(members)) == TEXTS


def test_nothing_stays_behind(tmp_path: Path) -> None:
    path = tmp_path / "upload"
    path.write_bytes(zipped(TEXTS))
    with unpacked(path, NAMES, MOST) as found:
        assert (found / "T.csv").is_file()
    assert not found.exists()
    assert not found.parent.exists()


@pytest.mark.parametrize(
    ("member", "said"),
    [
        ("../M.csv", "leads elsewhere"),
        ("a/../../T.csv", "leads elsewhere"),
        ("/etc/passwd", "leads elsewhere"),
        ("C:T.csv", "leads elsewhere"),
        ("a/b/T.csv", "at most in one folder"),
        ("a/b/", "at most in one folder"),
        ("t.csv", "may only have M.csv, T.csv and P.csv"),
        ("T.csv.gz", "may only have"),
        ("T.csv/", "is missing"),
        ("Ｔ.csv", "may only have"),
        ("表.csv", "may only have"),
        ("\x1b[2JT.csv", "may only have"),
        ("x" * 60_000, "much more"),
        ("x" * 10_000, "…"),
        (" T.csv", "may only have"),
        ("./", "may only have"),
    ],
)
def test_other_names_are_refused(tmp_path: Path, member: str, said: str) -> None:
    others = {name: text for name, text in TEXTS.items() if name != "T.csv"}
    sentence = refused(tmp_path, zipped({**others, member: b""}))
    assert said in sentence
    assert "\x1b" not in sentence
    assert not (tmp_path.parent / "T.csv").exists()


def test_a_windows_path_is_refused(tmp_path: Path) -> None:
    # The library turns a backslash round on Windows only; a name is changed behind its back.
    data = zipped({**TEXTS, "a/b.csv": b""}).replace(b"a/b.csv", b"a\\b.csv")
    assert "leads elsewhere" in refused(tmp_path, data)


def test_a_name_in_another_encoding_is_refused(tmp_path: Path) -> None:
    for name, said in (("匿名", "may only have"), ("表示", "leads elsewhere")):
        # The second one has a backslash in it.
        given = name.encode("cp932") + b".csv"
        data = zipped({**TEXTS, "abcd.csv": b""}).replace(b"abcd.csv", given)
        assert said in refused(tmp_path, data)


class Nameless(ZipInfo):
    def is_dir(self) -> bool:
        return False


def test_a_file_without_a_name_is_refused(tmp_path: Path) -> None:
    nameless = Nameless("a")
    nameless.filename = ""
    assert "may only have" in refused(tmp_path, zipped([*TEXTS.items(), (nameless, b"")]))


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK])
def test_links_and_devices_are_refused(tmp_path: Path, kind: int) -> None:
    link = with_mode("T.csv", kind | 0o777)
    members = [("M.csv", b"x"), (link, b"/etc/passwd"), ("P.csv", b"x")]
    assert "is a link" in refused(tmp_path, zipped(members))


def test_a_file_that_comes_twice_is_refused(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = zipped([*TEXTS.items(), ("T.csv", b"other")])
    assert refused(tmp_path, data) == "The ZIP has T.csv twice."
    assert refused(tmp_path, zipped({**TEXTS, "a/T.csv": b"x"})) == "The ZIP has T.csv twice."


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    assert "T.csv is missing" in refused(tmp_path, zipped({"M.csv": b"x", "P.csv": b"x"}))


def test_an_encrypted_file_is_refused(tmp_path: Path) -> None:
    data = bytearray(zipped(TEXTS))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert "must not be encrypted" in refused(tmp_path, bytes(data))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_without_a_limit_are_refused(tmp_path: Path, method: int) -> None:
    assert "packed by deflate" in refused(tmp_path, zipped(TEXTS, compression=method))


def test_a_bomb_is_refused_while_it_is_unpacked(tmp_path: Path) -> None:
    data = zipped({**TEXTS, "T.csv": bytes(200_000_000)})
    assert len(data) < 300_000
    tracemalloc.start()
    try:
        sentence = refused(tmp_path, data, most=1_000_000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert sentence == "A submission may have up to 1,000,000 bytes unpacked; this has more."
    assert peak < 5_000_000


def test_the_limit_is_of_all_files_together(tmp_path: Path) -> None:
    members = dict.fromkeys(NAMES, b"x" * 400)
    assert "up to 1,000 bytes" in refused(tmp_path, zipped(members))
    assert len(unpack(tmp_path, zipped(members), most=1_200)) == 3


def test_many_members_are_refused_before_they_are_listed(tmp_path: Path) -> None:
    data = zipped({**TEXTS, **{f"{number}": b"" for number in range(20_000)}})
    tracemalloc.start()
    try:
        assert "much more" in refused(tmp_path, data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < len(data)
    assert "much more" in refused(tmp_path, zipped({**TEXTS, **{f"{n}": b"" for n in range(50)}}))


def lying_about_size(size: int) -> bytes:
    """Return a ZIP whose list says that T.csv has another size than it has."""
    data = bytearray(zipped(TEXTS))
    place = -1
    while data[place + 46 : place + 51] != b"T.csv":
        place = data.index(b"PK\x01\x02", place + 1)
    struct.pack_into("<L", data, place + 24, size)
    return bytes(data)


@pytest.mark.parametrize("size", [0, 1, 7, 9, 900, 2**31, 2**32 - 1])
def test_sizes_that_are_not_true_are_refused(tmp_path: Path, size: int) -> None:
    assert "broken" in refused(tmp_path, lying_about_size(size))


def test_the_64_bit_form_is_refused(tmp_path: Path) -> None:
    data = zipped(TEXTS)
    locator = b"PK\x06\x07" + struct.pack("<LQL", 0, len(data) - 22, 1)
    assert "64-bit" in refused(tmp_path, data[:-22] + locator + data[-22:])


def test_sizes_in_the_64_bit_form_of_a_member_are_not_believed(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in TEXTS.items():
            with archive.open(ZipInfo(name), "w", force_zip64=True) as file:
                file.write(text)
    assert unpack(tmp_path, packed.getvalue()) == TEXTS
    # The list then names 4 GiB in the short field and the lie in the long one.
    data = bytearray(packed.getvalue())
    place = data.index(b"PK\x01\x02")
    struct.pack_into("<LL", data, place + 20, 0xFFFFFFFF, 0xFFFFFFFF)
    assert "broken" in refused(tmp_path, bytes(data))


def test_a_file_packed_by_gzip_is_refused(tmp_path: Path) -> None:
    assert "gzip" in refused(tmp_path, zipped({**TEXTS, "T.csv": b"\x1f\x8b\x08rest"}))
    (tmp_path / "a").write_bytes(b"\x1f\x8b\x08rest")
    with pytest.raises(SubmissionError, match="not packed by gzip"):
        refuse_packed(tmp_path / "a")


def test_what_is_no_zip_is_refused(tmp_path: Path) -> None:
    for data in (b"", b"P", b"a,b\n", b"\0" * 100, b"MZ" + zipped(TEXTS)):
        assert refused(tmp_path, data) == "A submission must be a ZIP of M.csv, T.csv and P.csv."


def test_every_truncated_zip_is_refused(tmp_path: Path) -> None:
    data = zipped(TEXTS)
    for length in range(len(data)):
        refused(tmp_path, data[:length])
    assert "broken" in refused(tmp_path, data + b"more")


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    changes=st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=6)
)
def test_a_zip_with_changed_bytes_is_unpacked_or_refused(
    tmp_path: Path, changes: list[tuple[int, int]]
) -> None:
    data = bytearray(zipped(TEXTS))
    for place, value in changes:
        data[place % len(data)] = value
    try:
        found = unpack(tmp_path, bytes(data))
    except SubmissionError:
        return
    assert set(found) == set(NAMES)
    assert sum(map(len, found.values())) <= MOST
