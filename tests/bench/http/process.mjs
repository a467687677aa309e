/* process.mjs - what Linux says of a process. */
import fs from "node:fs";

const TICKS_PER_S = 100; // USER_HZ, the same on every Linux port

export function residentBytes(pid) {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))[1]) * 1024;
}

/** What all cores together had nothing to do for, since the machine started. */
export function idleSeconds() {
  const [, , , idle, waiting] = /^cpu +(.*)$/m.exec(fs.readFileSync("/proc/stat", "utf8"))[1].split(" ").map(Number);
  return (idle + waiting) / TICKS_PER_S;
}

/** Processor time, user's and system's. */
export function cpuSeconds(pid) {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
}
