"""Numbers as people read them. A missing value is a word or a hatch, never a zero, and no rounding makes one.

Rounding never gives 0 or a whole 1 where the value is neither: the edge is shown instead (0.01, 0.99). A figure is
never cut, since its beginning is another figure: where it does not fit it has fewer decimals, and what has more digits
than anyone reads is given in powers of ten. So every finite number can be shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from decimal import Decimal

MINUTE_S: Final = 60
HOUR_S: Final = 3600
DAY_S: Final = 86400
_CLOCK_FROM_S: Final = 100  # below, decimals say more; above, minutes are read faster
_DAYS_ALONE_FROM: Final = 100  # days; hours no longer matter
_DIGITS_MOST: Final = 10**15
UNMEASURED: Final = "unmeasured"
HATCHED: Final = "░░░░"


def thousands(number: int) -> str:
    return f"{number:,}"


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 trial`, `2 trials`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def clock(seconds: float) -> str:
    """`1:23`, `1:02:03`, `2 d 03:10`, `120 d`."""
    whole = max(int(seconds + 0.5), 0)
    if whole >= DAY_S:
        days, rest = divmod(whole, DAY_S)
        if days >= _DAYS_ALONE_FROM:
            return f"{within(days, len('999,999'), 0)} d"
        return f"{days} d {rest // HOUR_S:02}:{rest % HOUR_S // MINUTE_S:02}"
    if whole >= HOUR_S:
        return f"{whole // HOUR_S}:{whole % HOUR_S // MINUTE_S:02}:{whole % MINUTE_S:02}"
    return f"{whole // MINUTE_S}:{whole % MINUTE_S:02}"


def seconds(value: float, decimals: int = 3) -> str:
    """A duration: decimals below 100 s, a clock above; a positive one never reads as zero."""
    if round(value, decimals) >= _CLOCK_FROM_S:
        return clock(value)
    return fixed(value, decimals)


def fixed(value: float | Decimal, decimals: int) -> str:
    """`value` with that many decimals, thousands separated; the smallest step where it would round to zero."""
    if not _is_read_by_digits(value):
        return powers_of_ten(value)
    text = f"{value:,.{decimals}f}"
    if not text.strip("-0.,"):
        return f"{0:.{decimals}f}" if value == 0 else f"{'−' * (value < 0)}{10**-decimals:.{decimals}f}"
    return text.replace("-", "−")


def _is_read_by_digits(value: float | Decimal) -> bool:
    return -_DIGITS_MOST < value < _DIGITS_MOST


def powers_of_ten(value: float | Decimal, width: int = 10) -> str:
    """`1.20e+300`: for figures that nobody reads digit by digit; with fewer decimals where `width` is less."""
    forms = [f"{value:.{decimals}e}".replace("-", "−") for decimals in (2, 1, 0)]
    return next((form for form in forms if len(form) <= width), forms[-1])


def within(value: float | Decimal, width: int, decimals: int) -> str:
    """The figure in `width` cells, with as many of the decimals as fit, else in powers of ten; never cut."""
    for kept in range(decimals, -1, -1):
        text = fixed(value, kept)
        if len(text) <= width:
            return text
    return powers_of_ten(value, width)


def amount(value: float | Decimal, decimals: int = 2) -> str:
    """A number inside an equation: integers bare, others with decimals."""
    whole = isinstance(value, int) or (_is_read_by_digits(value) and value == int(value))
    return thousands(int(value)).replace("-", "−") if whole else fixed(value, decimals)


def fraction(value: float) -> str:
    """Two decimals; 0.00 and 1.00 only where they are exact."""
    if 0 < value < 0.01:
        return "0.01"
    if 0.99 < value < 1:
        return "0.99"
    return f"{value:.2f}"


def size(number: int) -> str:
    """Bytes, exact below 10,000, then in kB and MB of 1,000."""
    if number < 10_000:
        return counted(number, "byte")
    if number < 1_000_000:
        return f"{number / 1000:,.0f} kB"
    return f"{number / 1_000_000:,.1f} MB"


def resource_value(name: str, value: float | None) -> str:
    """One resource of one trial with its unit, in words where it is not measured."""
    if value is None:
        return UNMEASURED
    match name:
        case "duration_s":
            return f"{seconds(value)} s" if round(value, 3) < _CLOCK_FROM_S else seconds(value)
        case "cost_usd":
            return f"{money(value)} USD"
        case "transcript_bytes":
            return size(int(value))
    return amount(value)


def money(value: float | Decimal) -> str:
    return fixed(value, 4) if value < 100 else fixed(value, 2)
