/* samples.mjs - one artifact of each kind, to see how it reads. Packed into a link when it is asked for. */

const report = `# Field notes: the estuary in March

Twelve visits at low water. Counts are of birds on the **eastern flats** only; the western side was closed for works until the 20th.

| Date | Curlew | Dunlin | Wind |
|:-----|-------:|-------:|:-----|
| 4 March | 31 | 1,240 | north-west 5 |
| 12 March | 27 | 980 | west 3 |
| 21 March | 44 | 410 | calm |

## What changed

1. Dunlin leave early: two thirds were gone by the 15th, a week before last year.
2. Curlew stay, and feed closer to the road than they did.

> A count is a sample of an hour. It says less than it seems to.

\`\`\`mermaid
flowchart LR
  A[low water] --> B{flats dry?}
  B -- yes --> C[count from the wall]
  B -- no --> D[wait an hour]
  D --> B
\`\`\`

### Next

- [x] Mark the transects
- [ ] Borrow the second telescope
- [ ] Compare with the ringing group's \`2025.csv\`
`;

const code = `from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Tide:
    hour: float   # since midnight
    metres: float # above chart datum


def low_waters(tides: list[Tide], below: float = 1.2) -> list[Tide]:
    """The turning points that leave the flats dry."""
    falling = [(a, b) for a, b in pairwise(tides) if b.metres < a.metres]
    return [b for _, b in falling if b.metres < below]


if __name__ == "__main__":
    day = [Tide(0.5, 4.1), Tide(6.8, 0.9), Tide(13.0, 4.3), Tide(19.2, 1.4)]
    for tide in low_waters(day):
        print(f"{tide.hour:05.2f}  {tide.metres:.1f} m")
`;

const patch = `diff --git a/tides.py b/tides.py
index 51c2a10..8e0f7d3 100644
--- a/tides.py
+++ b/tides.py
@@ -8,8 +8,9 @@ class Tide:
     metres: float # above chart datum
\x20
\x20
-def low_waters(tides, below=1.2):
-    falling = [(a, b) for a, b in zip(tides, tides[1:]) if b.metres < a.metres]
+def low_waters(tides: list[Tide], below: float = 1.2) -> list[Tide]:
+    """The turning points that leave the flats dry."""
+    falling = [(a, b) for a, b in pairwise(tides) if b.metres < a.metres]
     return [b for _, b in falling if b.metres < below]
\x20
\x20
diff --git a/NOTES.md b/NOTES.md
new file mode 100644
index 0000000..2d4f1aa
--- /dev/null
+++ b/NOTES.md
@@ -0,0 +1,2 @@
+# Notes
+Heights are above chart datum, hours are local time.
`;

const table = `Date,Site,Species,Count,Wind (m/s)
2026-03-04,East flats,Curlew,31,9.2
2026-03-04,East flats,Dunlin,1240,9.2
2026-03-12,East flats,Curlew,27,4.1
2026-03-12,East flats,Dunlin,980,4.1
2026-03-12,Creek,Redshank,18,4.1
2026-03-21,East flats,Curlew,44,0.3
2026-03-21,East flats,Dunlin,410,0.3
2026-03-21,Creek,Redshank,22,0.3
2026-03-21,Creek,"Greenshank, first of the year",1,0.3
`;

const json = `{
  "station": "estuary-east",
  "position": { "lat": 54.0712, "lon": -2.8731 },
  "observers": ["M. Okafor", "J. Lindqvist"],
  "visits": [
    { "date": "2026-03-04", "low_water": 0.9, "counted": true },
    { "date": "2026-03-12", "low_water": 1.1, "counted": true },
    { "date": "2026-03-21", "low_water": 0.7, "counted": true, "remark": null }
  ]
}
`;

/** What codec.encode() takes, with a line about it. */
export const SAMPLES = [
  ["Markdown", "A report with a table, a task list and a diagram", { kind: "markdown", title: "Field notes: the estuary in March", filename: "estuary.md", content: report }],
  ["Code", "A source file, highlighted, with lines to point at", { kind: "code", title: "Low waters", filename: "tides.py", language: "python", content: code }],
  ["Diff", "A patch of two files, side by side", { kind: "diff", title: "Type the tide table", filename: "tides.patch", content: patch, diffView: "split" }],
  ["Table", "Comma-separated values to sort and filter", { kind: "csv", title: "Counts in March", filename: "counts.csv", content: table }],
  ["JSON", "A document as a tree", { kind: "json", title: "Station", filename: "station.json", content: json }],
];
