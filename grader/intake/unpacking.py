"""Unpacking an entry of a zip, as much of it as is asked for. All of it is hostile input.

Python's zip module unpacks 4 KiB of bzip2 or LZMA at once, whatever it is asked for: 2 KiB may
become 5 GiB in memory. Here a decoder stops where it is told to.
"""

import bz2
import lzma
import struct
import zipfile
import zlib

DICTIONARY_BYTES = 80 << 20  # what LZMA's decoder may reserve; it asks for up to 4 GiB
LZMA_HEAD = 4  # version and length, before the properties
LZMA_PROPERTIES = 5
OF_ANY_SIZE = b"\xff" * 8


def unpack(archive: zipfile.ZipFile, content: bytes, entry: zipfile.ZipInfo, most: int) -> bytes:
    """The first `most` bytes of an entry, which is compared with its checksum if it ends there."""
    with archive.open(entry) as file:
        if entry.compress_type not in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
            return file.read(most)
    packed = _packed(content, entry)
    most = min(most, entry.file_size)
    if entry.compress_type == zipfile.ZIP_LZMA:
        data = _unpack_lzma(packed, most)
    else:
        data = bz2.BZ2Decompressor().decompress(packed, most)
    if most == entry.file_size and zlib.crc32(data) != entry.CRC:
        raise zipfile.BadZipFile(f"Bad CRC-32 for file {entry.filename!r}")
    return data


def _packed(content: bytes, entry: zipfile.ZipInfo) -> bytes:
    name, extra = struct.unpack_from("<HH", content, entry.header_offset + 26)
    begin = entry.header_offset + 30 + name + extra
    return content[begin : begin + entry.compress_size]


def _unpack_lzma(packed: bytes, most: int) -> bytes:
    """As an .lzma file, whose head has no version, but a size; the decoder has a limit then."""
    data = packed[LZMA_HEAD + LZMA_PROPERTIES :]
    head = packed[LZMA_HEAD : LZMA_HEAD + LZMA_PROPERTIES] + OF_ANY_SIZE
    decoder = lzma.LZMADecompressor(lzma.FORMAT_ALONE, memlimit=DICTIONARY_BYTES)
    return decoder.decompress(head + data, most)
