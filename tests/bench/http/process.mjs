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

/** Processor time of its threads that live. */
export function cpuSeconds(pid) {
  const tasks = fs.readdirSync(`/proc/${pid}/task`);
  return tasks.reduce((sum, task) => sum + Number(fs.readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]), 0) / 1e9;
}

/** The processes it started. */
export function childrenOf(pid) {
  return fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
}
