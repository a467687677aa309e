import { useEffect, useMemo, useRef, useState } from "react";
import type { PlanLimits, UsageSample } from "../api/types";
import { formatBytes } from "../lib/format";

interface UsageMeterProps {
  limits: PlanLimits;
  /** Called once when the meter first passes the warning line. */
  onWarn?: (share: number) => void;
  pollMs?: number;
}

const WARN_AT = 0.8;

function colourFor(share: number): string {
  if (share >= 1) return "var(--meter-over)";
  if (share >= WARN_AT) return "var(--meter-warn)";
  return "var(--meter-ok)";
}

export function UsageMeter({ limits, onWarn, pollMs = 15_000 }: UsageMeterProps) {
  const [samples, setSamples] = useState<UsageSample[]>([]);
  const [failed, setFailed] = useState(false);
  const warned = useRef(false);

  useEffect(() => {
    const abort = new AbortController();

    async function poll() {
      try {
        const response = await fetch(`/api/usage?plan=${limits.plan}`, { signal: abort.signal });
        if (!response.ok) throw new Error(`usage: ${response.status}`);
        const next = (await response.json()) as UsageSample;
        setSamples((old) => [...old.slice(-59), next]);
        setFailed(false);
      } catch (error) {
        if (!abort.signal.aborted) setFailed(true);
      }
    }

    void poll();
    const timer = window.setInterval(poll, pollMs);
    return () => {
      abort.abort();
      window.clearInterval(timer);
    };
  }, [limits.plan, pollMs]);

  const share = useMemo(() => {
    const last = samples.at(-1);
    return last ? last.bytes / limits.maxBytes : 0;
  }, [samples, limits.maxBytes]);

  useEffect(() => {
    if (share >= WARN_AT && !warned.current) {
      warned.current = true;
      onWarn?.(share);
    }
  }, [share, onWarn]);

  if (failed && samples.length === 0) {
    return <p role="alert">Usage is not available right now.</p>;
  }

  return (
    <figure className="usage-meter" aria-label="Storage in use">
      <div className="usage-meter__track">
        <div
          className="usage-meter__bar"
          style={{ width: `${Math.min(share, 1) * 100}%`, background: colourFor(share) }}
        />
      </div>
      <figcaption>
        {formatBytes(samples.at(-1)?.bytes ?? 0)} of {formatBytes(limits.maxBytes)}
        {failed && <span className="usage-meter__stale"> (stale)</span>}
      </figcaption>
    </figure>
  );
}
