"""Dates as people write them, for assets/models/dates: each token with what it tells, the year, the month or the day.

One day in ten, chosen by a checksum, is kept out of training in every format.
"""

import datetime
import re
import zlib

MONTHS = ("January February March April May June July August September October November December").split()
FIRST, LAST = datetime.date(1950, 1, 1), datetime.date(2049, 12, 31)
FORMATS = """\
{d} {Month} {y}|{d} {month} {y}|{dd} {Mon} {y}|{d}. {Month} {y}|{d} {mon} {yy}|{d} {Month} '{yy}|\
{Month} {d}, {y}|{month} {d}, {y}|{Month} {dth}, {y}|{month} {dth}, {yy}|{Mon} {d}, {yy}|{mon} {d} {y}|{Mon} {dd} '{yy}|\
{dth} {Month} {y}|{dth} {month} {yy}|the {dth} of {Month} {y}|the {dth} of {month}, {yy}|{dth} of {Mon}, '{yy}|\
{n}/{d}/{y}|{nn}/{dd}/{yy}|{n}/{d}/{yy}|{d}.{n}.{y}|{dd}.{nn}.{yy}|{d}.{n}.{yy}|\
{y}-{nn}-{dd}|{y}/{nn}/{dd}|{y} {Month} {d}|{y}, {month} {dth}|{d}-{Mon}-{y}|{dd}-{mon}-{yy}""".split("|")
TOKEN = r"[A-Za-z]+|[0-9]|[^\sA-Za-z0-9]"
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def is_kept_out(date):
    """Whether a day is one of the tenth that training never sees."""
    return zlib.crc32(date.isoformat().encode()) % 10 == 0


def random_date(random, kept_out):
    """A day from FIRST to LAST: one that is kept out of training, or one that is not."""
    while True:
        date = FIRST + datetime.timedelta(days=random.randrange((LAST - FIRST).days + 1))
        if is_kept_out(date) == kept_out:
            return date


def ordinal(day):
    """1st, 2nd, 3rd, 4th, …"""
    ending = "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


def written(date, form):
    """A date in one of FORMATS: its tokens, and for each "y", "m", "d" or "" for what it tells; and the text."""
    month = MONTHS[date.month - 1]
    parts = {"d": date.day, "dd": f"{date.day:02}", "dth": ordinal(date.day), "n": date.month, "nn": f"{date.month:02}",
             "Month": month, "month": month.lower(), "Mon": month[:3], "mon": month[:3].lower(), "y": date.year,
             "yy": f"{date.year % 100:02}"}
    tokens, roles, text = [], [], ""
    for piece in re.split(r"(\{\w+\})", form):
        name = piece.strip("{}") if piece.startswith("{") else None
        content = str(parts[name]) if name else piece
        text += content
        found = re.findall(TOKEN, content)
        tokens += found
        roles += [("m" if name[0] in "nMm" else name[0]) if name else ""] * len(found)
    return tokens, roles, text


def vocabulary():
    """All tokens, the special ones first."""
    months = [name for month in MONTHS for name in (month, month.lower(), month[:3], month[:3].lower())]
    return SPECIAL + list("0123456789-/.,'") + ["st", "nd", "rd", "th", "the", "of"] + list(dict.fromkeys(months))
