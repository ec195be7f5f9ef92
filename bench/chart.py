"""Draws lines over a logarithmic scale of milliseconds as SVG, readable on light and on dark pages."""
import dataclasses
import html
import math

# The kinds of lines: colour on light pages, on dark pages, width, dashes, marker.
KINDS = {
    "p50": ("#5b6b85", "#8fa3c4", 2, "", "circle"),
    "p99": ("#b07d10", "#d9a63a", 2.4, "", "square"),
    "p999": ("#a03c3c", "#e58a84", 2, "", "triangle"),
    "beside": ("#2f7d6b", "#6cc0ab", 1.8, "7 4", None),
    "alone": ("#6d7789", "#98a3b5", 1.8, "2 4", None),
}
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 960, 460, 84, 250, 46, 58
LABEL_HEIGHT = 17


@dataclasses.dataclass
class Line:
    kind: str
    label: str
    points: list  # (x, milliseconds)


@dataclasses.dataclass
class Axis:
    label: str
    low: float
    high: float
    ticks: list  # (x, text)


def style():
    def rules(column):
        for kind, look in KINDS.items():
            yield f".{kind} {{ stroke: {look[column]} }} .{kind}-mark {{ fill: {look[column]} }}"
    def block(indent, *lines):
        return "\n".join(" " * indent + line for line in lines)
    return "\n".join([
        "  <style>",
        block(4, "text { fill: #1d2736 }", ".note { fill: #56627a; font-size: 12px }", ".grid { stroke: #c9d0dc; stroke-width: 1 }",
              ".minor { stroke: #e6eaf0; stroke-width: 1 }", ".mark { stroke: #1d2736; stroke-width: 1.4; stroke-dasharray: 5 4 }",
              ".line { fill: none; stroke-linejoin: round }", *rules(0)),
        "    @media (prefers-color-scheme: dark) {",
        block(6, "text { fill: #e6ebf3 }", ".note { fill: #a7b3c8 }", ".grid { stroke: #3a4354 }", ".minor { stroke: #272e3b }",
              ".mark { stroke: #e6ebf3 }", *rules(1)),
        "    }",
        "  </style>"])


def scale_of(lines):
    """Powers of ten that enclose all values."""
    values = [max(value, 0.001) for line in lines for _, value in line.points]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def apart(wanted, low, high):
    """Places for labels, at least a line apart, as near to the wanted ones as an order of their own allows."""
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    places = [0.0] * len(wanted)
    above = low - LABEL_HEIGHT
    for index in order:
        places[index] = above = max(wanted[index], above + LABEL_HEIGHT)
    below = high + LABEL_HEIGHT
    for index in reversed(order):
        places[index] = below = min(places[index], below - LABEL_HEIGHT)
    return places


def marker(kind, x, y):
    shape = KINDS[kind][4]
    if shape == "circle":
        return f'  <circle class="{kind}-mark" cx="{x:.1f}" cy="{y:.1f}" r="3.4"/>'
    if shape == "square":
        return f'  <rect class="{kind}-mark" x="{x - 3.2:.1f}" y="{y - 3.2:.1f}" width="6.4" height="6.4"/>'
    return f'  <path class="{kind}-mark" d="M{x:.1f} {y - 4.4:.1f}l4.2 7.6h-8.4z"/>'


def milliseconds(value):
    """Three digits, without an exponent: 0.123, 1.23, 123, 1,230."""
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{digits}f}" if digits else f"{round(value, 2 - math.floor(math.log10(abs(value)))):,.0f}"


def described(axis, lines):
    """The picture in words: the first and the last value of each line, and its greatest."""
    names = dict(axis.ticks)
    def at(x):
        return names.get(x, f"{x:g}")
    return "; ".join(f"{line.label}: {milliseconds(line.points[0][1])} ms at {at(line.points[0][0])}, "
                     f"{milliseconds(line.points[-1][1])} ms at {at(line.points[-1][0])}, "
                     f"at most {milliseconds(max(value for _, value in line.points))} ms" for line in lines)


def chart(title, note, axis, lines, mark=None):
    """The text of a picture. `mark` is a place on the axis and its name."""
    lines = [line for line in lines if line.points]
    first, last = scale_of(lines)

    def x(value):
        return LEFT + (WIDTH - LEFT - RIGHT) * (value - axis.low) / ((axis.high - axis.low) or 1)

    def y(value):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (math.log10(max(value, 0.001)) - first) / (last - first)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="title desc"\n'
           "     font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif\" font-size=\"14\">",
           f'  <title id="title">{html.escape(title)}</title>',
           f'  <desc id="desc">{html.escape(f"{axis.label}. " + described(axis, lines))}</desc>',
           style(),
           f'  <text class="note" x="16" y="22">{html.escape(note)}</text>']
    for power in range(first, last + 1):
        for part in range(1, 10 if power < last else 2):
            place = f'{y(part * 10 ** power):.1f}'
            out.append(f'  <line class="{"grid" if part == 1 else "minor"}" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{place}" y2="{place}"/>')
        out.append(f'  <text x="{LEFT - 8}" y="{y(10 ** power) + 5:.1f}" text-anchor="end">{10.0 ** power:,g} ms</text>')
    for value, text in axis.ticks:
        out.append(f'  <text x="{x(value):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{html.escape(text)}</text>')
    out.append(f'  <text class="note" x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 14}" text-anchor="middle">{html.escape(axis.label)}</text>')
    if mark:
        place = f"{x(mark[0]):.1f}"
        out.append(f'  <line class="mark" x1="{place}" x2="{place}" y1="{TOP - 8}" y2="{HEIGHT - BOTTOM}"/>')
        out.append(f'  <text class="note" x="{x(mark[0]) + 6:.1f}" y="{TOP + 2}">{html.escape(mark[1])}</text>')
    ends = apart([y(line.points[-1][1]) for line in lines], TOP, HEIGHT - BOTTOM)
    for line, end in zip(lines, ends):
        _, _, width, dashes, shape = KINDS[line.kind]
        places = [(x(at), y(value)) for at, value in line.points]
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        out.append(f'  <polyline class="line {line.kind}" stroke-width="{width}"{dashed} points="'
                   + " ".join(f"{a:.1f},{b:.1f}" for a, b in places) + '"/>')
        if shape:
            out += [marker(line.kind, a, b) for a, b in places]
        begin = places[-1]
        out.append(f'  <polyline class="line {line.kind}" stroke-width="1" points="{begin[0] + 5:.1f},{begin[1]:.1f} '
                   f'{WIDTH - RIGHT + 16},{end:.1f}"/>')
        out.append(f'  <text x="{WIDTH - RIGHT + 20}" y="{end + 5:.1f}">{html.escape(line.label)}</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"
