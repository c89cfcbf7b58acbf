"""Reads what a shared library needs and leaves undefined. ELF64 little-endian, standard library only.

Layout: System V ABI, chapter 4 and 5; symbol versions: Linux Standard Base, `.gnu.version_r`.
"""
from __future__ import annotations

import struct
from dataclasses import dataclass

SHT_DYNAMIC, SHT_DYNSYM, SHT_GNU_VERNEED, SHT_GNU_VERSYM = 6, 11, 0x6FFFFFFE, 0x6FFFFFFF
DT_NEEDED, STB_WEAK = 1, 2


@dataclass(frozen=True)
class Undefined:
    name: str
    #: library that must provide it, where the object says so
    library: str
    weak: bool


@dataclass(frozen=True)
class Object:
    needed: list[str]
    undefined: list[Undefined]


def read(path: str) -> Object:
    """Raises ValueError where the file is no such object."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError(f"{path} is no 64-bit little-endian ELF file")
    try:
        return _read(data)
    except (struct.error, IndexError) as error:
        raise ValueError(f"{path} is damaged: {error}") from None


def _read(data: bytes) -> Object:
    table, = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * size) for i in range(count)]
    # per section: name, type, flags, address, offset, size, link, info, alignment, entry size
    by_type = {section[1]: section for section in sections}

    def strings(link: int):
        base = sections[link][4]
        return lambda at: data[base + at : data.index(b"\0", base + at)].decode("utf-8", "replace")

    needed: list[str] = []
    if SHT_DYNAMIC in by_type:
        section = by_type[SHT_DYNAMIC]
        text = strings(section[6])
        for at in range(section[4], section[4] + section[5], 16):
            tag, value = struct.unpack_from("<qQ", data, at)
            if tag == DT_NEEDED:
                needed.append(text(value))
    providers = _providers(data, by_type.get(SHT_GNU_VERNEED), strings)
    versions = by_type.get(SHT_GNU_VERSYM)
    undefined: list[Undefined] = []
    if SHT_DYNSYM in by_type:
        section = by_type[SHT_DYNSYM]
        text = strings(section[6])
        for number in range(1, section[5] // 24):
            name, info, _, index, _, _ = struct.unpack_from("<IBBHQQ", data, section[4] + 24 * number)
            if index == 0:
                version = struct.unpack_from("<H", data, versions[4] + 2 * number)[0] & 0x7FFF if versions else 0
                undefined.append(Undefined(text(name), providers.get(version, ""), info >> 4 == STB_WEAK))
    return Object(needed, undefined)


def _providers(data: bytes, section, strings) -> dict[int, str]:
    found: dict[int, str] = {}
    if section is None:
        return found
    text, at = strings(section[6]), section[4]
    for _ in range(section[7]):
        _, entries, file, auxiliary, following = struct.unpack_from("<HHIII", data, at)
        entry = at + auxiliary
        for _ in range(entries):
            _, _, other, _, step = struct.unpack_from("<IHHII", data, entry)
            found[other & 0x7FFF] = text(file)
            entry += step
        at += following
    return found
