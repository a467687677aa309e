/* store.mjs - a small store: one flat object, changed in one place, watched by key. */

/** @returns { state, update(patch), watch(keys, listener) } */
export function createStore(initial) {
  const state = { ...initial };
  const watchers = [];
  return {
    state,
    /** Listeners run once per update that changed one of their keys. */
    update(patch) {
      const changed = Object.keys(patch).filter((key) => !Object.is(state[key], patch[key]));
      if (changed.length === 0) return;
      Object.assign(state, patch);
      for (const { keys, listener } of [...watchers]) if (changed.some((key) => keys.includes(key))) listener(state);
    },
    watch(keys, listener) {
      watchers.push({ keys, listener });
    },
  };
}
