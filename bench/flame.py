#!/usr/bin/env python3
"""Draws a flame graph from a recording of perf: width is CPU time, and a frame lies on its caller. The tooltip shows the
full name and the share. Frames with less than a three-hundredth of the time are left out.

usage: perf script --no-inline -i perf.data | python3 bench/flame.py TITLE [FRAME] > flame.svg

With FRAME, draws only the calls below functions whose name contains FRAME.
"""
import html
import re
import sys

WIDTH, LINE, TOP, LETTER = 1200, 18, 64, 6.6
LEAST = 1 / 300
STYLE = """
    text  { fill: #1d2736; font-size: 11px }
    .head { font-size: 14px }
    .note { fill: #56627a; font-size: 12px }
    rect  { stroke: #ffffff; stroke-width: 0.6 }
    .own    { fill: #b9c9e6 }
    .library { fill: #d9dee7 }
    .kernel { fill: #ecd5a8 }
    @media (prefers-color-scheme: dark) {
      .head { fill: #e6ebf3 }
      .note { fill: #a7b3c8 }
      rect  { stroke: #12161d }
    }"""
OFFSET = re.compile(r"\+0x[0-9a-f]+$")


class Frame:
    def __init__(self):
        self.samples, self.kind, self.above = 0, "library", {}


def stacks(lines):
    """Yields the frames of each sample, the outermost first: (name, file)."""
    frames = []
    for line in lines:
        if line[:1] in ("\t", " ") and line.strip():
            _, _, rest = line.strip().partition(" ")
            name, _, file = rest.rpartition(" (")
            frames.append((OFFSET.sub("", name) or "[unknown]", file.rstrip(")")))
        elif not line.strip() and frames:
            yield frames[::-1]
            frames = []
    if frames:
        yield frames[::-1]


def kind_of(file):
    if "kernel" in file or file.startswith("["):
        return "kernel"
    return "own" if re.search(r"/(sundial|postgres)[^/]*$", file) else "library"


def short(name):
    """Without parameters, templates and our own namespace."""
    name = re.sub(r"\(anonymous namespace\)", "", name)
    while (fewer := re.sub(r"<[^<>]*>", "", name)) != name:
        name = fewer
    return re.sub(r"\b(sundial|std|boost|__1|__detail)::", "", name.partition("(")[0]).lstrip(":") or name


def tree_of(lines, below):
    root = Frame()
    for frames in stacks(lines):
        while below and frames and below not in frames[0][0]:
            frames = frames[1:]
        if not frames:
            continue
        root.samples += 1
        at = root
        for name, file in frames:
            if name == "[unknown]":
                continue
            at = at.above.setdefault(name, Frame())
            at.samples += 1
            at.kind = kind_of(file)
    return root


def drawn(frame, total, x, level):
    """Yields (name, frame, x, width, level) of the frames that are wide enough to draw, the widest first."""
    for name, above in sorted(frame.above.items(), key=lambda item: -item[1].samples):
        width = WIDTH * above.samples / total
        if above.samples >= LEAST * total:
            yield name, above, x, width, level
            yield from drawn(above, total, x, level + 1)
        x += width


def picture(title, root):
    boxes = list(drawn(root, root.samples, 0, 0))
    height = TOP + LINE * (1 + max(level for *_, level in boxes)) + 8
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
           "font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif\">")
    yield f"  <title>{html.escape(title)}</title>\n  <style>{STYLE}\n  </style>"
    yield f'  <text class="head" x="6" y="22">{html.escape(title)}</text>'
    yield (f'  <text class="note" x="6" y="42">{root.samples:,} samples; blue: our program or PostgreSQL, grey: libraries, '
           "yellow: kernel</text>")
    for name, frame, x, width, level in boxes:
        y = height - 8 - LINE * (level + 1)
        share = f"{name} — {100 * frame.samples / root.samples:.1f} %"
        fits = int(width / LETTER)
        text = short(name)
        text = text if len(text) <= fits else text[:max(0, fits - 1)] + "…"
        yield (f'  <g><title>{html.escape(share)}</title><rect class="{frame.kind}" x="{x:.1f}" y="{y}" width="{width:.1f}" '
               f'height="{LINE - 1}" rx="1"/>' + (f'<text x="{x + 3:.1f}" y="{y + 12}">{html.escape(text)}</text>' if fits > 3 else "")
               + "</g>")
    yield "</svg>"


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    found = tree_of(sys.stdin, sys.argv[2] if len(sys.argv) == 3 else "")
    if not found.above:
        sys.exit("no stacks: record with --call-graph dwarf; is the frame's name right?")
    print("\n".join(picture(sys.argv[1], found)))
