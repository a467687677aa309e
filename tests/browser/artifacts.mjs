/* artifacts.mjs - something to look at of each kind, and of the states worth looking at. */

const MARKDOWN = `# Quarterly review

The migration finished **two days early**. Latency fell by a third, and nobody was paged. What follows is what we
changed, what it cost, and [what is left](https://example.org/plan).

## Numbers

| Region | Requests | p95 latency | Errors |
|:--|--:|--:|--:|
| eu-west | 1,204,113 | 212 ms | 0.02 % |
| us-east | 982,450 | 188 ms | 0.01 % |
| ap-south | 310,772 | 341 ms | 0.07 % |

## What is left

- [x] Move the read path
- [x] Retire the old cache
- [ ] Write the runbook, which ~~nobody~~ everybody will read

> Measure first, then cut.

1. Freeze the schema.
2. Copy, compare, switch over.

\`\`\`ts
export async function drain(queue: Queue, signal: AbortSignal): Promise<number> {
  let done = 0;
  for await (const job of queue.take(signal)) done += (await job.run()) ? 1 : 0; // one at a time
  return done;
}
\`\`\`

\`\`\`mermaid
flowchart LR
  client[Client] --> edge{Edge}
  edge -->|cached| client
  edge --> api[API] --> db[(Database)]
\`\`\`

See https://example.org/dashboards for more, or press <kbd>?</kbd>.
`;

const CODE = `import asyncio
from dataclasses import dataclass


@dataclass(frozen=True)
class Window:
    """A half-open span of time, in seconds."""

    start: float
    end: float

    def overlaps(self, other: "Window") -> bool:
        return self.start < other.end and other.start < self.end


async def merge(windows: list[Window]) -> list[Window]:
    merged: list[Window] = []
    for window in sorted(windows, key=lambda w: w.start):
        if merged and merged[-1].overlaps(window):
            merged[-1] = Window(merged[-1].start, max(merged[-1].end, window.end))
        else:
            merged.append(window)
        await asyncio.sleep(0)  # let others run
    return merged
`;

const PATCH = `diff --git a/src/limit.c b/src/limit.c
index 83db48f..bf269f4 100644
--- a/src/limit.c
+++ b/src/limit.c
@@ -10,9 +10,12 @@ static bool allow(bucket *b, int64_t now_ms) {
     if (b->tokens >= b->size) {
         b->tokens = b->size;
     }
-    b->tokens -= 1;
-    return b->tokens >= 0;
+    if (b->tokens < 1) {
+        return false;
+    }
+    b->tokens -= 1;
+    return true;
 }
${" "}
 /* The rest is unchanged. */
 static void refill(bucket *b, int64_t now_ms) {
diff --git a/docs/limits.md b/docs/limits.md
new file mode 100644
index 0000000..e69de29
--- /dev/null
+++ b/docs/limits.md
@@ -0,0 +1,2 @@
+# Limits
+Ten a second.
diff --git a/old.txt b/new.txt
similarity index 90%
rename from old.txt
rename to new.txt
index 1111111..2222222 100644
--- a/old.txt
+++ b/new.txt
@@ -1,2 +1,2 @@
 kept
-gone
+come
diff --git a/unused.c b/unused.c
deleted file mode 100644
index 3333333..0000000
--- a/unused.c
+++ /dev/null
@@ -1 +0,0 @@
-int unused;
diff --git a/logo.png b/logo.png
index 4444444..5555555 100644
Binary files a/logo.png and b/logo.png differ
`;

const CSV = `Region,Requests,Share,Launched
eu-west,1204113,48.2 %,2021-04-01
us-east,982450,39.3 %,2020-11-17
"ap-south, Mumbai",310772,12.5 %,2023-02-09
`;

const JSON_TEXT = JSON.stringify(
  { service: "arxd", healthy: true, version: [0, 1, 0], limits: { fragment: 8192, decoded: 200000, ratio: 0.25 }, note: null, regions: [{ name: "eu-west", nodes: 3 }, { name: "us-east", nodes: 2 }] },
  null,
  2,
);

export const ARTIFACTS = {
  markdown: { kind: "markdown", title: "Quarterly review", filename: "review.md", content: MARKDOWN },
  code: { kind: "code", title: "Merging windows", filename: "windows.py", language: "python", content: CODE },
  diff: { kind: "diff", title: "Rate limit: no negative buckets", filename: "limit.patch", patch: PATCH, view: "split" },
  csv: { kind: "csv", title: "Requests by region", filename: "regions.csv", content: CSV },
  json: { kind: "json", title: "Status", filename: "status.json", content: JSON_TEXT },
};
export const KINDS = Object.keys(ARTIFACTS);

/** What copy, download and raw give of it. */
export const bodyOf = (artifact) => artifact.patch ?? artifact.content ?? `${artifact.oldContent}\n---\n${artifact.newContent}`;

/** All five as one bundle. */
export const bundle = (more = {}) => ({
  v: 1,
  codec: "plain",
  title: "Everything",
  artifacts: KINDS.map((kind) => ({ id: kind, ...ARTIFACTS[kind] })),
  ...more,
});
