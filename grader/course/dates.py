"""Dates as Moodle writes them, in the language of whoever downloaded the sheet.

A date that could mean two days is none: a time that is a month off would be a wrong mark.
"""

import re
from datetime import datetime, tzinfo

# January to December, as dates in 26 languages write them; a comma ends a month.
MONTHS = """
january januar jänner janvier enero gennaio janeiro gener xaneiro urtarrilak januari tammikuuta
jaanuar stycznia ledna januára január ianuarie ocak января січня януари ιανουαρίου,
february februar feber février febrero febbraio fevereiro febrer febreiro otsailak februari
helmikuuta veebruar lutego února februára február februarie şubat февраля лютого февруари
φεβρουαρίου,
march märz mars marzo março març martxoak maart marts maaliskuuta märts marca března marec március
martie mart марта березня март μαρτίου,
april avril abril aprile apirilak huhtikuuta aprill kwietnia dubna apríla április aprilie nisan
апреля квітня април απριλίου,
may mai mayo maggio maio maig maiatzak mei maj toukokuuta maja května mája május mayıs мая травня
май μαΐου,
june juni juin junio giugno junho juny xuño ekainak kesäkuuta juuni czerwca června júna junij
június iunie haziran июня червня юни ιουνίου,
july juli juillet julio luglio julho juliol xullo uztailak heinäkuuta juuli lipca července júla
julij július iulie temmuz июля липня юли ιουλίου,
august août agosto agost abuztuak augustus augusti elokuuta sierpnia srpna augusta avgust
augusztus ağustos августа серпня август αυγούστου,
september septembre septiembre settembre setembro setembre irailak syyskuuta września září
septembra szeptember septembrie eylül сентября вересня септември σεπτεμβρίου,
october oktober octobre octubre ottobre outubro urriak lokakuuta oktoober października října
októbra október octombrie ekim октября жовтня октомври οκτωβρίου,
november novembre noviembre novembro azaroak marraskuuta listopada listopadu novembra noiembrie
kasım ноября листопада ноември νοεμβρίου,
december dezember décembre diciembre dicembre dezembro desembre decembro abenduak desember
joulukuuta detsember grudnia prosince decembra decembrie aralık декабря грудня декември δεκεμβρίου
"""
CROATIAN = ("siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada "
            "studenoga prosinca")  # fmt: skip
# `listopada` is October in Croatian and November in Polish; the day of the week tells.
CROATIAN_DAYS = "ponedjeljak utorak srijeda četvrtak petak subota nedjelja".split()
NUMBERS = {word: number for number, words in enumerate(MONTHS.split(","), 1)
           for word in words.split()}  # fmt: skip
CROATIAN_NUMBERS = {word: number for number, word in enumerate(CROATIAN.split(), 1)}
CLOCK = re.compile(r"(?<!\d)(\d{1,2})[:.](\d\d)(?:[:.](\d\d))?(?!\d|[./]\s?\d)")
YEAR_FIRST = re.compile(r"(\d{4})\s*[-/.年년]\s*(\d{1,2})\s*[-/.月월]\s*(\d{1,2})")
DAY_FIRST = re.compile(r"(?<!\d)(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})")
EITHER = re.compile(r"(?<!\d)(\d{1,2})/(\d{1,2})/(\d{4})")
AFTERNOON = re.compile(r"(?<![^\W\d_])(p\.?\s?m\.?|μμ|μ\.μ\.)(?![^\W\d_])|午後|下午|오후")
MORNING = re.compile(r"(?<![^\W\d_])(a\.?\s?m\.?|πμ|π\.μ\.)(?![^\W\d_])|午前|上午|오전")
WORD = re.compile(r"[^\W\d_]+")


def read_date(text: str, zone: tzinfo) -> datetime | None:
    """The time that `text` says, such as `Freitag, 20. November 2026, 23:58`; None if it is not
    clear."""
    plain = " ".join(text.split()).casefold()
    clocks = list(CLOCK.finditer(plain))
    if not clocks or not (day := _day(plain[: clocks[-1].start()] + plain[clocks[-1].end() :])):
        return None
    hour, minute, second = (int(part or 0) for part in clocks[-1].groups())
    if AFTERNOON.search(plain) or MORNING.search(plain):
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if AFTERNOON.search(plain) else 0)
    try:
        return datetime(*day, hour, minute, second, tzinfo=zone)
    except ValueError:
        return None


def _day(text: str) -> tuple[int, int, int] | None:
    """Year, month and day."""
    if found := YEAR_FIRST.search(text):
        return int(found[1]), int(found[2]), int(found[3])
    if found := DAY_FIRST.search(text):
        return int(found[3]), int(found[2]), int(found[1])
    if found := EITHER.search(text):
        return _day_and_month(int(found[1]), int(found[2]), int(found[3]))
    words = WORD.findall(text)
    numbers = CROATIAN_NUMBERS if any(word in CROATIAN_DAYS for word in words) else NUMBERS
    months = {numbers[word] for word in words if word in numbers}
    years = re.findall(r"(?<!\d)20\d\d(?!\d)", text)
    days = re.findall(r"(?<!\d)\d{1,2}(?!\d)", text)
    if len(months) != 1 or len(years) != 1 or len(days) != 1:
        return None
    return int(years[0]), months.pop(), int(days[0])


def _day_and_month(first: int, second: int, year: int) -> tuple[int, int, int] | None:
    """Of `20/11/2026`, in which one of them can be no month, or both are the same."""
    if first > 12 or first == second:
        return year, second, first
    return (year, first, second) if second > 12 else None
