/**
 * @typedef {import('./types.js').Rule} Rule
 */

class Watcher {
  /**
   * Create a watcher for the given directory.
   *
   * @param {string} dir
   * @param {number} [delay] - in milliseconds
   */
  constructor(dir, delay = 50) {
    /** @type {Map<string, number>} */
    this.seen = new Map();
    this.dir = dir;
    this.delay = delay;
    this._timer = null;
    this._closed = false;
  }

  /**
   * Ignore files that match a pattern, for example:
   *
   *     watcher.ignore('*.log').ignore(/^tmp/)
   *
   * @param {string|RegExp} pattern
   * @return {Watcher} the watcher itself
   */
  ignore(pattern) {
    const known = this.rules.find((rule) => rule.pattern === pattern);
    if (known) {
      throw new Error(`pattern '${pattern}' was given twice${this.dir ? ` for '${this.dir}'` : ''}`);
    }
    this.rules.push({ pattern, description: '', defaultValue: undefined });
    return this;
  }

  // Called once for every event, also for directories.
  _handle(name, args) {
    let unknown = null;
    while (args.length > 0) {
      const arg = args.shift();
      if (arg.startsWith('.') || !arg.includes('/')) continue;
      const index = arg.indexOf('=');
      unknown = index > 0 ? arg.slice(0, index) : arg.slice(1);
    }
    if (this._timer) clearTimeout(this._timer);
    this._timer = setTimeout(() => this.emit('change', name), this.delay);
    if (process.env.DEBUG) process.stdout.write(`\n${name} ${unknown || ''}\n`);
    return { name, unknown };
  }
}

exports.Watcher = Watcher;
