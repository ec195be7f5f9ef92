"""Makes a picture of the ratios of a result: python3 bench/picture.py bench/results/table-….json > ratios.svg"""
import html
import json
import sys

STYLE = """
    .bar    { fill: #5b6b85 }
    .missed { fill: #b07d10 }
    .spread { stroke: #1d2736; stroke-width: 1.4 }
    .target { stroke: #8a94a6; stroke-width: 1.4; stroke-dasharray: 5 4 }
    text    { fill: #1d2736 }
    .note   { fill: #56627a; font-size: 12px }
    @media (prefers-color-scheme: dark) {
      .bar    { fill: #8fa3c4 }
      .missed { fill: #d9a63a }
      .spread { stroke: #e6ebf3 }
      text    { fill: #e6ebf3 }
      .note   { fill: #a7b3c8 }
    }"""
LEFT, WIDTH, LINE, TOP = 500, 960, 26, 56


def picture(result):
    """Each ratio as a part of its target: the dashed line is where all of them are reached."""
    figures = [figure for figure in result["figures"] if figure.get("unit") == "ratio"]
    most = max([2.0] + [figure["range"][1] / figure["target"] for figure in figures])

    def across(figure_over_target):
        return LEFT + figure_over_target * (WIDTH - LEFT - 70) / most
    machine = result["machine"]
    note = (f"{machine['date']}, commit {machine['commit']}, {machine['cores']} cores, PostgreSQL {machine['postgresql']}, "
            f"SQLite {machine['sqlite']}, fsync {machine['fsyncMicroseconds']} µs; median and range of {result['pairs']} pairs")
    height = TOP + LINE * len(figures) + 16
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="title desc"\n'
           "     font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif\" font-size=\"14\">")
    yield '  <title id="title">Ratios, each against its target</title>'
    yield f'  <desc id="desc">{html.escape("; ".join(one["what"] + " " + format(one["median"], "g") for one in figures))}</desc>'
    yield f"  <style>{STYLE}\n  </style>"
    yield f'  <text class="note" x="16" y="22">{html.escape(note)}</text>'
    for number, figure in enumerate(figures):
        y = TOP + LINE * number
        share = figure["median"] / figure["target"]
        low, high = (across(end / figure["target"]) for end in figure["range"])
        kind = "bar" if share >= 1 else "missed"
        yield f'  <text x="16" y="{y + 4}">{html.escape(figure["row"] + "  " + figure["what"])}</text>'
        yield f'  <rect class="{kind}" x="{LEFT}" y="{y - 8}" width="{across(share) - LEFT:.1f}" height="14" rx="2"/>'
        yield f'  <line class="spread" x1="{low:.1f}" y1="{y - 1}" x2="{high:.1f}" y2="{y - 1}"/>'
        yield f'  <text class="note" x="{max(high, across(share)) + 6:.1f}" y="{y + 4}">{figure["median"]:g} of {figure["target"]:g}</text>'
    yield f'  <line class="target" x1="{across(1):.1f}" y1="{TOP - 18}" x2="{across(1):.1f}" y2="{height - 12}"/>'
    yield "</svg>"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        print("\n".join(picture(json.load(file))))
