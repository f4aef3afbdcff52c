#!/usr/bin/env python3
"""Makes the files in corpus/ that the fuzz targets begin with: small, and between them every way a format has.

    make_corpus.py OUTDIR

Needs nothing but Python.
"""

import base64
import io
import json
import pathlib
import struct
import sys
import zipfile
import zlib


def safetensors(header, data=b"", padding=""):
    text = (json.dumps(header) + padding).encode()
    return struct.pack("<Q", len(text)) + text + data


def npy(descr, shape, data, version=1, fortran=False):
    text = f"{{'descr': {descr!r}, 'fortran_order': {fortran}, 'shape': {shape!r}, }}\n".encode()
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + data


def npz(members, method, stream=False):
    """stream: sizes and checksums behind the data, as where nobody can go back."""

    class Stream(io.BytesIO):
        def seekable(self):
            return not stream

    file = Stream()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            with archive.open(info, "w", force_zip64=name.startswith("wide")) as member:
                member.write(data)
    return file.getvalue()


def chunk(name, content):
    """A chunk of a PNG file."""
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(rows, *chunks, width=1, bits=8, kind=2, interlaced=0):
    """rows: each with the byte before it that says how it is filtered."""
    header = struct.pack(">IIBBBBB", width, len(rows), bits, kind, 0, 0, interlaced)
    data = chunk(b"IDAT", zlib.compress(b"".join(rows)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(chunks) + data + chunk(b"IEND", b"")


def pdf(content):
    return b"%PDF-1.5\n1 0 obj\n" + content + b"\nendobj\n"


def objects(content):
    return pdf(b"<</Type /ObjStm /N 1 /First 4 /Filter /FlateDecode>>\nstream\n" + zlib.compress(content) + b"\nendstream")


def svg(content):
    return b'<?xml version="1.0"?>\n<svg xmlns="x"><metadata id="attnscope">' + content + b"</metadata></svg>"


def entry(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


FLOATS = struct.pack("<6f", 0.5, -1, float("inf"), float("nan"), 1e-40, 6)
SMALL = npy("<f4", (2, 3), FLOATS)
TEXT = json.dumps({"format": "attnscope-trace/1", "axes:a": "query,key"})

LEAST = b'{"format": "attnscope-experiment/1", "system": "scaled-dot-product"}'
FIGURE = b'{"format": "attnscope-figure/1", "experiment": ' + LEAST + b', "pinned": ' + LEAST + b"}"
STEP = {
    "title": "t",
    "text": "a",
    "look": "b",
    "experiment": json.loads(LEAST),
    "cell": "weights[0,1]",
    "printed": [
        {"tensor": "weights", "index": [0], "printed": ["0.40", "-0.1"]},
        {"tensor": "scores", "statistic": "std", "printed": "1"},
    ],
}
LESSON = {"format": "attnscope-lesson/1", "title": "t", "source": "s", "summary": "m", "steps": [STEP]}
TEXTS = {
    "format": "attnscope-lesson-texts/1",
    "language": "de",
    "name": "D",
    "lessons": {"a": {"title": "t", "summary": "m", "steps": [{"title": "t", "text": "a", "look": "b"}]}},
}



def tokenizer(model, text="", **parts):
    return json.dumps({"model": model, **parts}).encode() + b"\0" + text.encode()


def typed(kind, **fields):
    return {"type": kind, **fields}


def split(pattern, behavior, **fields):
    return typed("Split", pattern=pattern, behavior=behavior, **fields)


def sequence(name, *parts):
    return {"type": "Sequence", name: list(parts)}


# A double array in which "a" becomes "bc": the root's children lie at 256 + byte, and the value of "a" beyond them.
UNITS = [0] * 512
UNITS[0] = 256 << 10
UNITS[256 ^ ord("a")] = 128 << 10 | 1 << 8 | ord("a")
UNITS[256 ^ ord("a") ^ 128] = 1 << 31
CHARSMAP = base64.b64encode(struct.pack("<513I", 2048, *UNITS) + b"bc\0").decode()
WORDS = {piece: number for number, piece in enumerate(["<unk>", "a", "b", "ab", "##b", "<0xC3>", "<0xA9>", "\u0120a"])}
ADDED = {"id": 9, "content": "<s>", "special": True, "lstrip": True, "rstrip": True, "single_word": False}
SINGLE = [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]

MODELS = pathlib.Path(__file__).resolve().parent.parent / "golden/models/data"


def config(folder):
    """config.json, and behind a zero byte preprocessor_config.json."""
    files = [folder / "config.json", folder / "preprocessor_config.json"]
    return b"\0".join(json.dumps(json.loads(file.read_text())).encode() for file in files if file.exists())


# What the model of index_fuzz.cpp has in two files.
PARTS = {"a": ["embed", "positions", "layers.0.q", "layers.0.k"], "b": ["layers.0.v", "layers.0.o", "unembed"]}
PLACES = {f"{name}.weight": f"{part}.safetensors" for part, names in PARTS.items() for name in names}


def index(places, shard=b""):
    return json.dumps({"metadata": {"total_size": 104}, "weight_map": places}).encode() + b"\0" + shard


CORPUS = {
    "safetensors": {
        "empty": safetensors({}),
        "plain": safetensors({"q": entry("F32", [2, 3], 0, 24)}, FLOATS),
        "kinds": safetensors(
            {
                "__metadata__": {"format": "pt"},
                "layers.0.attn": entry("F16", [2, 2, 1], 0, 8),
                "b": entry("BF16", [2], 8, 12),
                "c": entry("BOOL", [4], 12, 16),
                "d": entry("F8_E4M3", [0, 4], 16, 16),
                "e": entry("I64", [], 16, 24),
            },
            FLOATS,
            "    ",
        ),
    },
    "npy": {
        "plain": SMALL,
        "scalar": npy(">f8", (), FLOATS[:8]),
        "fortran": npy("<i2", (2, 3, 2), FLOATS, version=2, fortran=True),
        "behind": npy("|b1", (5,), FLOATS, version=3),
        "object": npy("|O", (1,), b"x"),
        "structured": npy([("a", "<f4"), ("b", "<i4")], (1,), FLOATS[:8]),
    },
    "npz": {
        "empty": npz({}, zipfile.ZIP_STORED),
        "stored": npz({"a.npy": SMALL, "wide.npy": SMALL}, zipfile.ZIP_STORED),
        "deflated": npz({"a.npy": SMALL, "wide.npy": npy("<f8", (3,), FLOATS), "x.txt": b"x"}, zipfile.ZIP_DEFLATED),
        "streamed": npz({"a.npy": SMALL}, zipfile.ZIP_DEFLATED, stream=True),
        "metadata": npz(
            {"__metadata__.npy": npy(f"<U{len(TEXT)}", (), TEXT.encode("utf-32-le"))}, zipfile.ZIP_STORED
        ),
    },
    "experiment": {
        "least": b'{"format": "attnscope-experiment/1", "system": "worked-example"}',
        "most": b"""{"format": "attnscope-experiment/1", "system": "worked-example", "seed": 42, "discard": 3,
"edits": [{"tensor": "x", "index": [0, 1], "value": 2.5}], "heads_off": [0],
"params": {"tokens": 2, "features": 9, "heads": 4, "mask": [[true, false], [true, true]], "masked_fill": "-inf"},
"labels": ["a", "\\u00e9"], "view": {"name": "heads", "options": {"head": 1}}}""",
        "picture": b"""{"format": "attnscope-experiment/1", "system": "image-self-attention",
"params": {"batch": 1, "channels": 32, "mask": "window:3"}, "picture": {"rows": 1, "columns": 1, "rgb": "e65a28"}}""",
    },
    "script": {
        "labels": b'\x00"""\\"\xff\xff\n#',
        "path": b'\x01\xfc"\xff\xff\r\x00import os',
        "names": b'\x02"+str(__import__("os").system("x"))+"\xff\xff\xe2\x80\xa8{name}',
        "long": b"\x03" + 300 * b"a" + b"\xff\xff" + "é😀".encode(),
        "by_content": b"\x04\xed\xa0\x80\xff\xff\'",
        "streamed": b"\x05\\N{DASH}\xff\xff\\u0041\xc2\x85",
    },
    "figure": {
        "plain.png": png([b"\0\1\2\3"], chunk(b"iTXt", b"attnscope\0\0\0\0\0" + FIGURE)),
        "packed.png": png([b"\0\1\2\3"], chunk(b"iTXt", b"attnscope\0\1\0\0\0" + zlib.compress(FIGURE))),
        "literal.pdf": pdf(b"<</Keywords (" + FIGURE.replace(b'"p', b"\\042p") + b")>>"),
        "hexadecimal.pdf": pdf(b"<</Keywords <" + ("\ufeff" + FIGURE.decode()).encode("utf-16-be").hex().encode() + b">>>"),
        "objects.pdf": objects(b"1 0 <</Keywords (" + FIGURE + b")>>"),
        "plain.svg": svg(b"<![CDATA[" + FIGURE + b"]]>"),
        "entities.svg": svg(FIGURE.replace(b'"', b"&quot;").replace(b":", b"&#x3a;")),
    },
    "tokenizer": {
        "gpt2": tokenizer(
            typed("BPE", vocab=WORDS, merges=["a b"], unk_token="<unk>", fuse_unk=True, byte_fallback=True),
            "ab \u00e9<s> a",
            added_tokens=[ADDED, {"id": 10, "content": "B", "single_word": True}],
            normalizer=sequence("normalizers", typed("NFC"), typed("Lowercase"), typed("Prepend", prepend="a")),
            pre_tokenizer=typed("ByteLevel", add_prefix_space=True),
            post_processor=typed(
                "TemplateProcessing",
                single=SINGLE,
                pair=SINGLE,
                special_tokens={"<s>": {"id": "<s>", "ids": [9], "tokens": ["<s>"]}},
            ),
            decoder=typed("ByteLevel"),
        ),
        "llama": tokenizer(
            typed("BPE", vocab=WORDS, merges=[["a", "b"]], ignore_merges=True, continuing_subword_prefix="##"),
            "aab12 \r\n",
            normalizer=typed("Replace", pattern={"String": " "}, content="\u2581"),
            pre_tokenizer=sequence(
                "pretokenizers",
                split({"Regex": r"(?i:'s|'t)|\p{N}{1,3}|\s+(?!\S)|[^\s\w]+"}, "Isolated", invert=False),
                typed("Digits", individual_digits=True),
                typed("Punctuation", behavior="MergedWithNext"),
            ),
            post_processor=sequence("processors", typed("ByteLevel"), typed("BertProcessing", cls=["a", 1], sep=["b", 2])),
            decoder=sequence("decoders", typed("Replace", pattern={"String": "a"}, content=" "), typed("ByteFallback")),
        ),
        "t5": tokenizer(
            typed("Unigram", unk_id=0, vocab=[["<unk>", 0], ["\u2581", -1], ["a", -2.5], ["\u2581a", -2]], byte_fallback=True),
            "a  a",
            normalizer=sequence(
                "normalizers", typed("Precompiled", precompiled_charsmap=CHARSMAP), typed("Nmt"), typed("NFKC"), typed("Strip")
            ),
            pre_tokenizer=typed("Metaspace", replacement="\u2581", prepend_scheme="first", split=True),
            decoder=typed("Metaspace"),
        ),
        "bert": tokenizer(
            typed("WordPiece", vocab=WORDS, unk_token="<unk>", max_input_chars_per_word=5),
            "ab\u4e2dAB \u00c9",
            normalizer=typed("BertNormalizer", strip_accents=True),
            pre_tokenizer=typed("BertPreTokenizer"),
            post_processor=typed("RobertaProcessing", cls=["a", 1], sep=["b", 2]),
            decoder=typed("WordPiece", prefix="##"),
        ),
        "words": tokenizer(typed("WordLevel", vocab=WORDS, unk_token="<unk>"), "a b", pre_tokenizer=typed("Whitespace")),
    },
    "merges": {"plain": b"#version: 0.2\na b\nab c\n", "accents": "\u00e9 \u4e2d\r\n\r\na \u00e9\u4e2d\n".encode()},
    "config": {folder.name: config(folder) for folder in sorted(MODELS.iterdir())},
    "index": {
        "whole": index(PLACES),
        "short": index({"embed.weight": "a.safetensors"}),
        "outside": index({**PLACES, "unembed.weight": "../b.safetensors"}),
        "given": index(
            {**PLACES, "unembed.weight": "given.safetensors"},
            safetensors({"unembed.weight": entry("F32", [3, 2], 0, 24)}, FLOATS),
        ),
    },
    "lesson": {"least": json.dumps(LESSON).encode()},
    "lesson_texts": {"least": json.dumps(TEXTS).encode()},
    "labels": {
        "lines": b"the\r\ncat sat\n\nmat\n",
        "sentence": b"the cat  sat\n",
        "list": b'["the", "\\u00e9", ""]',
        "tokens": b"[CLS]\nthe\n",
    },
    "picture": {
        "color": png([b"\0" + bytes(range(6)), b"\1" + bytes(range(6))], width=2),
        "opacity": png([b"\4\1\2\3\4"], kind=6),
        "palette": png([b"\0\x80"], chunk(b"PLTE", bytes(range(6))), chunk(b"tRNS", b"\x80"), width=2, bits=1, kind=3),
        "deep": png([b"\2\1\2"], chunk(b"tEXt", b"k\0v"), bits=16, kind=0),
        "interlaced": png([b"\0\5"], kind=0, interlaced=1),
    },
}


def link(text, version=b"1"):
    return b"https://host/attnscope.html#x=" + version + b"." + base64.urlsafe_b64encode(zlib.compress(text)).rstrip(b"=")


CORPUS["link"] = {
    "least": link(CORPUS["experiment"]["least"]),
    "most": link(CORPUS["experiment"]["most"]),
    "newer": link(LEAST, b"2"),
    "text": CORPUS["experiment"]["most"],
    "model": b'{"format": "attnscope-experiment/1", "system": "transformer", "model": "stories", "text": "Anna"}',
}


def main():
    for kind, files in CORPUS.items():
        folder = pathlib.Path(sys.argv[1]) / kind
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
