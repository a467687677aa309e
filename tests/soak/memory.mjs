/* memory.mjs - how much memory a process has resident, while something else happens. */
import { residentBytes } from "../bench/http/process.mjs";

/**
 * Looks ten times a second until `work` has ended. Gives the most that was resident in the first and
 * in the second half of that time, as [earlier, later]: what grows for ever is more later, caches are
 * full by then.
 */
export async function growthDuring(pid, work) {
  const samples = [];
  const timer = setInterval(() => samples.push(residentBytes(pid)), 100);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  const most = (from, to) => Math.max(...samples.slice(Math.floor(samples.length * from), Math.ceil(samples.length * to)));
  return [most(0, 0.5), most(0.5, 1)];
}
