"""Unpacking an entry of a zip, as much of it as is asked for. All of it is hostile input.

Python's zip module unpacks 4 KiB of bzip2 or LZMA at once, whatever it is asked for: 2 KiB may
become 5 GiB in memory. Here a decoder stops where it is told to.
"""

import bz2
import io
import lzma
import struct
import zipfile
import zlib
from typing import BinaryIO

DICTIONARY_BYTES = 80 << 20  # what LZMA's decoder may reserve; it asks for up to 4 GiB
LZMA_HEAD = 4  # version and length, before the properties
LZMA_PROPERTIES = 5
OF_ANY_SIZE = b"\xff" * 8


def unpack(archive: zipfile.ZipFile, file: BinaryIO, entry: zipfile.ZipInfo, most: int) -> bytes:
    """The first `most` bytes of an entry, which is compared with its checksum if it ends there.

    `file` is what the archive is read from. Raises what a decoder raises.
    """
    with archive.open(entry) as opened:
        if entry.compress_type not in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
            return opened.read(most)
    most = min(most, entry.file_size)
    packed = _packed(file, entry, most)
    if entry.compress_type == zipfile.ZIP_LZMA:
        data = _unpack_lzma(packed, most)
    else:
        data = _unpack_bzip2(packed, most)
    if most == entry.file_size and zlib.crc32(data) != entry.CRC:
        raise zipfile.BadZipFile(f"Bad CRC-32 for file {entry.filename!r}")
    return data


def _packed(file: BinaryIO, entry: zipfile.ZipInfo, most: int) -> bytes:
    """As much as `most` bytes need: what cannot be packed grows by a hundredth, or less."""
    file.seek(entry.header_offset + 26)
    name, extra = struct.unpack("<HH", file.read(4))
    file.seek(name + extra, io.SEEK_CUR)
    return file.read(min(entry.compress_size, most + most // 50 + 4096))


def _unpack_bzip2(packed: bytes, most: int) -> bytes:
    try:
        return bz2.BZ2Decompressor().decompress(packed, most)
    except OSError as error:  # what the module raises is no error of the disk
        raise zipfile.BadZipFile(str(error)) from error


def _unpack_lzma(packed: bytes, most: int) -> bytes:
    """As an .lzma file, whose head has no version, but a size; the decoder has a limit then."""
    data = packed[LZMA_HEAD + LZMA_PROPERTIES :]
    head = packed[LZMA_HEAD : LZMA_HEAD + LZMA_PROPERTIES] + OF_ANY_SIZE
    decoder = lzma.LZMADecompressor(lzma.FORMAT_ALONE, memlimit=DICTIONARY_BYTES)
    return decoder.decompress(head + data, most)
