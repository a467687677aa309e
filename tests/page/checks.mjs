/*
 * checks.mjs - the page's codec against the golden vectors, wherever it runs: vectors.test.mjs runs
 * these in Node, browser.html in a browser.
 *
 *   for (const { name, needs, run } of checks(tools)) await run();
 *
 * needs: the name of an asset set that may not be at hand, or undefined. run() throws where
 * something differs and answers how many values were compared.
 *
 * tools:
 *   vectors(file)       the parsed file of tests/vectors/codec
 *   codec(sets)         a codec whose asset sets are those of /sets/<sets> (serve.mjs)
 *   probe(sets)         the probe with the first of those sets, and its id: { probe, id }
 */

/* ---- comparing ---- */

const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

async function sha256(text) {
  return hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}
async function sha256OfHex(hex) {
  const bytes = Uint8Array.from({ length: hex.length / 2 }, (_, i) => parseInt(hex.slice(2 * i, 2 * i + 2), 16));
  return hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

function fail(what, wanted, got) {
  const show = (value) => (typeof value === "string" ? value : JSON.stringify(value))?.slice(0, 300);
  throw new Error(`${what}: wanted ${show(wanted)}, got ${show(got)}`);
}

const equal = (wanted, got, what) => {
  if (wanted !== got) fail(what, wanted, got);
};

/** Member by member, whatever the order of keys. */
function same(wanted, got, what) {
  if (wanted === got) return;
  const objects = [wanted, got].every((value) => typeof value === "object" && value !== null);
  if (!objects || Array.isArray(wanted) !== Array.isArray(got)) fail(what, wanted, got);
  const keys = Object.keys(wanted).filter((key) => wanted[key] !== undefined);
  if (keys.length !== Object.keys(got).filter((key) => got[key] !== undefined).length) fail(what, wanted, got);
  for (const key of keys) same(wanted[key], got[key], `${what}.${key}`);
}

/** A golden text: a string, { text }, or { sha256, length } of a long one. */
async function matches(wanted, got, what) {
  const golden = wanted?.fragment ?? wanted;
  if (typeof golden === "string") return equal(golden, got, what);
  if (typeof golden.text === "string") return equal(golden.text, got, what);
  const long = golden.sha256 ? golden : golden.text;
  if (!long?.sha256) throw new Error(`${what}: no golden value`);
  equal(long.length ?? got.length, got.length, `${what}: length`);
  equal(long.sha256, await sha256(got), what);
}

/** Golden bytes: { hex }, or { sha256, length } of many. */
async function matchesHex(wanted, got, what) {
  if (typeof wanted === "string") return equal(wanted, got, what);
  if (typeof wanted.hex === "string") return equal(wanted.hex, got, what);
  equal(wanted.sha256, await sha256OfHex(got), what);
}

/** A decode against { ok, envelope?, rawLength } or { ok: false, code, message }. */
async function decodes(codec, fragment, wanted, what, options) {
  let got;
  try {
    got = await codec.decode(fragment, options);
  } catch (error) {
    if (wanted.ok || error.code === undefined) throw new Error(`${what}: ${error.message}`);
    equal(wanted.code, error.code, what);
    equal(wanted.message, error.message, what);
    return null;
  }
  if (!wanted.ok) fail(what, wanted, got.envelope);
  if (wanted.rawLength !== undefined) equal(wanted.rawLength, got.visibleLength, `${what}: length`);
  if (wanted.envelope && !wanted.envelope.sha256) same(wanted.envelope, got.envelope, what);
  return got;
}

/** The long input of mixer.json, by the generator it describes. */
function generated(length) {
  const bytes = new Uint8Array(length);
  let x = 12345;
  for (let i = 0; i < length; i++) {
    x = (Math.imul(x, 1103515245) + 12345) >>> 0;
    bytes[i] = i % 5000 < 2500 ? 97 + (i % 26) : 32 + ((x >>> 16) % 90);
    if (i >= 524288 && i < 560000) bytes[i] = bytes[i - 524288];
    if (i >= 600000 && i < 640000) bytes[i] = bytes[i - 524290];
  }
  return bytes;
}

/** How an envelope comes back: the codec's name in it, and the active id there. */
function normalised(envelope, codec) {
  const ids = envelope.artifacts.map(({ id }) => id);
  const active = ids.includes(envelope.activeArtifactId) ? envelope.activeArtifactId : ids[0];
  return { ...envelope, codec, activeArtifactId: active };
}

/* ---- the checks ---- */

const WIRES = ["base76", "base1k", "baseBMP", "base64url"];
const TUPLE_CODECS = ["arx2", "arx3", "arx4", "arx5"];

export function checks({ vectors, codec: openCodec, probe: openProbe }) {
  const list = [];
  const add = (name, needs, run) => list.push({ name, needs, run: () => run({ count: 0 }) });
  const envelopes = async () => (await vectors("envelopes.json")).envelopes;
  const byName = async () => new Map((await envelopes()).map(({ name, envelope }) => [name, envelope]));

  add("JSON texts, plain and lz", undefined, async (tally) => {
    const { probe } = await openProbe("test");
    const codec = await openCodec("test");
    const named = await byName();
    for (const row of (await vectors("sync.json")).rows) {
      const envelope = named.get(row.name);
      const texts = probe({ do: "texts", envelope });
      await matches(row.json, texts.unpacked, `${row.name} json`);
      await matches(row.packedJson, texts.packed, `${row.name} packed json`);
      for (const [form, codecName] of [["packed", "packed"], ["unpacked", "unpacked"]]) {
        const text = texts[codecName].replace('"plain"', '"lz"');
        await matches(row.lz[form], `l${probe({ do: "lz", text }).payload}`, `${row.name} lz ${form}`);
      }
      for (const name of ["plain", "lz"]) {
        const made = await codec.encode({ envelope, codec: name });
        // an encode normalises first, which the vectors did not
        if (envelope.activeArtifactId === normalised(envelope, name).activeArtifactId) {
          await matches(row[name].fragment, made.fragment, `${row.name} ${name}`);
          equal(row[name].chosenPacked, made.packed, `${row.name} ${name} packed`);
        }
        await decodes(codec, made.fragment, { ok: true, envelope: normalised(envelope, name) }, `${row.name} ${name}`, { skipBudget: true });
        if (row[name].decode && row[name].fragment.text)
          await decodes(codec, row[name].fragment.text, row[name].decode, `${row.name} ${name}`);
        tally.count += 3;
      }
    }
    return tally.count;
  });

  add("deflate: golden fragments decode, ours come back and are no longer", undefined, async (tally) => {
    const codec = await openCodec("test");
    const named = await byName();
    let golden = 0;
    let ours = 0;
    for (const row of (await vectors("sync.json")).rows) {
      const envelope = named.get(row.name);
      const wanted = { ok: true, envelope: normalised(envelope, "deflate") };
      if (row.deflate.fragment.text) await decodes(codec, row.deflate.fragment.text, wanted, `${row.name} golden`, { skipBudget: true });
      const made = await codec.encode({ envelope, codec: "deflate" });
      await decodes(codec, made.fragment, wanted, `${row.name} ours`, { skipBudget: true });
      golden += row.deflate.fragment.text?.length ?? row.deflate.fragment.length;
      ours += made.fragment.length;
      tally.count++;
    }
    if (!(ours <= golden * 1.005)) fail("total length", golden, ours);
    return tally.count;
  });

  add("tuple and substituted texts", "upstream", async (tally) => {
    const { probe, id } = await openProbe("upstream");
    const named = await byName();
    for (const row of (await vectors("arx.json")).rows) {
      const texts = probe({ do: "texts", set: id, envelope: named.get(row.name) });
      await matchesHex(row.arxPacked.substituted, texts.arxPacked, `${row.name} packed`);
      await matchesHex(row.arxUnpacked.substituted, texts.arxUnpacked, `${row.name} unpacked`);
      // the golden text is the one before U+007F is escaped
      await matches(row.tuple.text?.replaceAll("\x7f", "\\u007f") ?? row.tuple, texts.tuple, `${row.name} tuple`);
      await matchesHex(row.arx2.substituted, texts.tupleSubstituted, `${row.name} substituted`);
      tally.count += 4;
    }
    return tally.count;
  });

  /** Coded bytes of every prior a row names, and the way back. */
  function mixes(probe, set, hex, coded, what) {
    for (const [prior, wanted] of Object.entries(coded)) {
      const got = probe({ do: "mix", set, prior, hex });
      if (wanted.hex !== undefined) equal(wanted.hex, got.coded, `${what} prior ${prior}`);
      equal(hex, got.back, `${what} prior ${prior} back`);
    }
    return Object.keys(coded).length;
  }

  add("mixer on raw bytes", "upstream", async (tally) => {
    const { probe, id } = await openProbe("upstream");
    for (const row of (await vectors("mixer.json")).rows) {
      const hex = row.input?.hex ?? hexOf(generated(700_000));
      for (const [prior, wanted] of Object.entries(row.coded)) {
        const got = probe({ do: "mix", set: id, prior, hex });
        await matchesHex(wanted, got.coded, `${row.name} prior ${prior}`);
        equal(hex, got.back, `${row.name} prior ${prior} back`);
        tally.count += 2;
      }
    }
    return tally.count;
  });

  add("mixer on texts", "upstream", async (tally) => {
    const { probe, id } = await openProbe("upstream");
    const named = await byName();
    for (const row of (await vectors("arx5.json")).rows) {
      const hex = probe({ do: "texts", set: id, envelope: named.get(row.name) }).tupleSubstituted;
      await matchesHex(row.substituted, hex, `${row.name} text`);
      const got = probe({ do: "mix", set: id, prior: row.prior, hex });
      await matchesHex(row.coded, got.coded, row.name);
      equal(hex, got.back, `${row.name} back`);
      tally.count += 2 + (row.priors ? mixes(probe, id, hex, row.priors, row.name) : 0);
    }
    return tally.count;
  });

  add("invented asset set: texts, mixer, arx4 and arx5", undefined, async (tally) => {
    const { probe, id } = await openProbe("test");
    const codec = await openCodec("test");
    const named = await byName();
    for (const row of (await vectors("testassets.json")).rows) {
      const envelope = named.get(row.name);
      const texts = probe({ do: "texts", set: id, envelope });
      await matchesHex(row.arxPackedText, texts.arxPacked, `${row.name} packed`);
      await matchesHex(row.arxText, texts.arxUnpacked, `${row.name} unpacked`);
      await matchesHex(row.tupleText, texts.tupleSubstituted, `${row.name} tuple`);
      const got = probe({ do: "mix", set: id, prior: row.prior, hex: texts.tupleSubstituted });
      await matchesHex(row.coded, got.coded, row.name);
      if (row.priors) tally.count += mixes(probe, id, texts.tupleSubstituted, row.priors, row.name);
      for (const name of ["arx4", "arx5"]) {
        const made = await codec.encode({ envelope, codec: name });
        await matches(row[name], made.fragment, `${row.name} ${name}`);
        equal(row[name].visible, made.visibleLength, `${row.name} ${name} visible`);
        equal(row[name].transport, made.transportLength, `${row.name} ${name} transport`);
        equal(id, made.assetSet, "set");
      }
      for (const name of ["arx", "arx2", "arx4", "arx5", "auto"])
        if (typeof row[name].text === "string") {
          const codecName = name === "auto" ? undefined : name;
          const { envelope: back, codec: used } = await codec.decode(row[name].text, { skipBudget: true });
          same(normalised(envelope, used), back, `${row.name} ${name} decoded`);
          if (codecName) equal(codecName, used, `${row.name} codec`);
          tally.count++;
        }
      tally.count += 8;
    }
    for (const row of (await vectors("extra.json")).testAssets) {
      const hex = probe({ do: "texts", set: id, envelope: row.envelope }).tupleSubstituted;
      await matchesHex(row.tupleText, hex, row.name);
      tally.count += mixes(probe, id, hex, row.coded, row.name);
    }
    return tally.count;
  });

  add("odd asset set", undefined, async (tally) => {
    const { probe, id } = await openProbe("odd");
    const codec = await openCodec("odd");
    const named = await byName();
    const { rows, dictTests } = await vectors("odd-assets.json");
    for (const row of rows) {
      const envelope = named.get(row.name);
      const texts = probe({ do: "texts", set: id, envelope });
      await matchesHex(row.arxPacked.substituted, texts.arxPacked, `${row.name} packed`);
      await matchesHex(row.arxUnpacked.substituted, texts.arxUnpacked, `${row.name} unpacked`);
      await matchesHex(row.tuple.substituted, texts.tupleSubstituted, `${row.name} tuple`);
      tally.count += 3 + mixes(probe, id, texts.tupleSubstituted, row.coded, row.name);
      for (const name of ["arx4", "arx5"]) {
        await matches(row[name].fragment, (await codec.encode({ envelope, codec: name })).fragment, `${row.name} ${name}`);
        tally.count++;
      }
      for (const name of ["arx", "arx2", "arx3", "arx4", "arx5", "auto"])
        if (row[name].fragment.text) {
          const back = await codec.decode(row[name].fragment.text, { skipBudget: true });
          same(normalised(envelope, back.codec), back.envelope, `${row.name} ${name} decoded`);
          tally.count++;
        }
    }
    for (const row of dictTests) {
      const got = probe({ do: "substitute", set: id, text: row.input });
      equal(row.base, got.base, `base of ${row.input}`);
      equal(row.overlay, got.overlay, `overlay of ${row.input}`);
      equal(row.baseDecodeOfBase, got.baseBack, `base of ${row.input} back`);
      tally.count += 3;
    }
    return tally.count;
  });

  add("wires", undefined, async (tally) => {
    const { probe } = await openProbe("test");
    const { rows, big, decode, detect, transport } = await vectors("wires.json");
    const there = async (row, hex, what) => {
      for (const wire of WIRES) {
        const got = probe({ do: "wire", wire, hex });
        await matches(row[wire], got.text, `${what} ${wire}`);
        const lengths = row.lens?.[wire];
        if (lengths) for (const name of ["transport", "visible", "utf16"]) equal(lengths[name], got[name], `${what} ${wire} ${name}`);
        if (got.text === "") continue;
        const text = got.text.replace(wire === "base64url" ? /^B\./ : wire === "baseBMP" ? /^\ufff0/ : /^/, "");
        equal(hex, probe({ do: "unwire", wire, text }).hex, `${what} ${wire} back`);
        tally.count += 2;
      }
    };
    for (const row of rows) await there(row, row.bytes, row.label);
    for (const row of big) {
      const bytes = Uint8Array.from({ length: row.n }, (_, i) => (i * i * 31 + i * 7 + row.n) % 251);
      await there(row, hexOf(bytes), `${row.n} bytes`);
    }
    for (const row of decode) {
      let text = row.input;
      if (row.fn === "base64url" && !text.startsWith("B.")) continue; // the marker is the caller's to look for
      if (row.fn === "base64url") text = text.slice(2);
      if (row.fn === "baseBMP") text = text.replace(/^\ufff0/, "");
      const { hex } = probe({ do: "unwire", wire: row.fn, text });
      if (row.error !== undefined) equal(null, hex, `${row.fn} of ${row.input}`);
      else if (!hex?.startsWith(row.hex) || (row.hex.length < 400 && hex !== row.hex)) fail(`${row.fn} of ${row.input}`, row.hex, hex);
      tally.count++;
    }
    for (const row of detect) {
      const wanted = row.bmp ? "baseBMP" : row.base64url ? "base64url" : row.base1k ? "base1k" : "base76";
      equal(wanted, probe({ do: "detect", text: row.input }).wire, `detect ${row.input}`);
      tally.count++;
    }
    for (const row of transport) {
      const got = probe({ do: "measure", text: row.input });
      for (const name of ["transport", "visible", "utf16"]) equal(row[name], got[name], `${name} of ${row.input}`);
      tally.count++;
    }
    return tally.count;
  });

  add("normalisation", undefined, async (tally) => {
    const codec = await openCodec("test");
    for (const row of (await vectors("normalize.json")).rows) {
      const bytes = new TextEncoder().encode(row.json);
      const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
      const fragment = `p${base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
      if (!row.json.isWellFormed()) continue;
      const got = await decodes(codec, fragment, row.result, row.label);
      if (got && row.keyOrder) equal(row.keyOrder, JSON.stringify(got.envelope), `${row.label} key order`);
      tally.count++;
    }
    return tally.count;
  });

  add("normalisation of tuples", "upstream", async (tally) => {
    const codec = await openCodec("upstream");
    for (const row of (await vectors("normalize.json")).tuples) {
      const got = await decodes(codec, row.arx2Fragment, row.result, row.tuple);
      if (got && row.keyOrder) equal(row.keyOrder, JSON.stringify(got.envelope), `${row.tuple} key order`);
      if (row.arx5Same && row.result.ok) {
        const { envelope } = await codec.decode(row.arx5Fragment);
        same({ ...row.result.envelope, codec: "arx5" }, envelope, `${row.tuple} arx5`);
      } else if (row.arx5Same) await decodes(codec, row.arx5Fragment, row.result, `${row.tuple} arx5`);
      tally.count += 2;
    }
    return tally.count;
  });

  const isFamily = (fragment) => /^#?([abcef]|agent-render=v1\.arx)/.test(fragment);

  add("decode errors and legacy forms that need no asset set", undefined, async (tally) => {
    const codec = await openCodec("test");
    const rows = [
      ...(await vectors("decode-errors.json")).rows.filter(({ state }) => state === "full"),
      ...(await vectors("legacy.json")).rows,
      ...(await vectors("extra.json")).decode,
    ];
    for (const row of rows) {
      if (typeof row.fragment !== "string" || isFamily(row.fragment)) continue;
      await decodes(codec, row.fragment, row.async, row.label, { skipBudget: row.options?.skipFragmentBudget });
      tally.count++;
    }
    return tally.count;
  });

  add("decode errors, legacy forms and corners", "upstream", async (tally) => {
    const codec = await openCodec("upstream");
    const rows = [
      ...(await vectors("decode-errors.json")).rows.filter(({ state }) => state === "full"),
      ...(await vectors("legacy.json")).rows,
      ...(await vectors("extra.json")).decode,
    ];
    for (const row of rows) {
      if (typeof row.fragment !== "string") continue;
      await decodes(codec, row.fragment, row.async, row.label, { skipBudget: row.options?.skipFragmentBudget });
      tally.count++;
    }
    return tally.count;
  });

  add("decode errors without priors", "upstream-no-priors", async (tally) => {
    const codec = await openCodec("upstream-no-priors");
    const rows = [
      ...(await vectors("decode-errors.json")).rows.filter(({ state }) => state !== "full"),
      ...(await vectors("extra.json")).noPriors,
    ];
    for (const row of rows) {
      if (typeof row.fragment !== "string") continue;
      await decodes(codec, row.fragment, row.async, row.label ?? row.fragment, { skipBudget: row.options?.skipFragmentBudget });
      tally.count++;
    }
    return tally.count;
  });

  add("arx4 and arx5 fragments", "upstream", async (tally) => {
    const codec = await openCodec("upstream");
    const named = await byName();
    for (const row of (await vectors("arx5.json")).rows) {
      const envelope = named.get(row.name);
      for (const name of ["arx4", "arx5"]) {
        const golden = row[`${name}Fragment`];
        const made = await codec.encode({ envelope, codec: name });
        await matches(golden.fragment, made.fragment, `${row.name} ${name}`);
        equal(golden.transport, made.transportLength, `${row.name} ${name} transport`);
        equal(golden.visible, made.visibleLength, `${row.name} ${name} visible`);
        const { envelope: back, prior, codec: used } = await codec.decode(made.fragment, { skipBudget: true });
        same(normalised(envelope, name), back, `${row.name} ${name} back`);
        equal(row.prior, prior, `${row.name} prior`);
        equal(name, used, `${row.name} codec`);
        tally.count += 4;
      }
    }
    return tally.count;
  });

  add("arx, arx2 and arx3: golden fragments decode, ours come back and are no longer", "upstream", async (tally) => {
    const codec = await openCodec("upstream");
    const named = await byName();
    const totals = { golden: 0, ours: 0 };
    for (const row of (await vectors("arx.json")).rows) {
      const envelope = named.get(row.name);
      for (const name of ["arx", "arx2", "arx3"]) {
        const golden = row[`${name}Fragment`];
        const wanted = { ok: true, envelope: normalised(envelope, name) };
        if (golden.fragment.text) await decodes(codec, golden.fragment.text, wanted, `${row.name} ${name} golden`, { skipBudget: true });
        const made = await codec.encode({ envelope, codec: name });
        await decodes(codec, made.fragment, wanted, `${row.name} ${name} ours`, { skipBudget: true });
        const measure = name === "arx3" ? "visible" : "transport";
        totals.golden += golden[measure];
        totals.ours += made[`${measure}Length`];
        tally.count += 2;
      }
    }
    if (!(totals.ours <= totals.golden * 1.005)) fail("total length", totals.golden, totals.ours);
    return tally.count;
  });

  add("options and the automatic choice", "upstream", async (tally) => {
    const codec = await openCodec("upstream");
    const named = await byName();
    for (const row of (await vectors("select.json")).rows) {
      const what = `${row.name} ${JSON.stringify(row.options)}`;
      const ask = codec.encode({ envelope: named.get(row.name), ...row.options });
      if (!row.async) {
        const error = await ask.then((made) => fail(what, row.asyncError, made.fragment), (reason) => reason);
        equal(row.asyncError ?? "No payload codec candidates are available.", error.message.replace(/^Error: /, ""), what);
      } else {
        const made = await ask;
        const start = row.async.text?.[0] ?? row.async.head?.[0];
        equal(start, made.fragment[0], `${what}: codec`);
        // deflate's bytes are another encoder's
        if (start !== "d" && !"abc".includes(start)) await matches(row.async, made.fragment, what);
      }
      tally.count++;
    }
    return tally.count;
  });

  add("links", "upstream", async (tally) => {
    const codec = await openCodec("upstream");
    const named = await byName();
    const { rows, envelopeLinks } = await vectors("links.json");
    for (const { label, draft, baseUrl, async: wanted, asyncError } of rows) {
      const { diffView, codec: codecName, content, ...artifact } = draft;
      if (draft.kind === "diff") Object.assign(artifact, { patch: content, view: diffView });
      else artifact.content = content;
      const ask = codec.encode({ artifact, codec: codecName, baseUrl });
      if (!wanted) {
        const outcome = await ask.then((made) => made, (error) => error);
        tally.count++;
        // a link over the budget is made all the same, and says so
        if (/characters, which is over/.test(asyncError)) {
          equal(false, outcome.fitsFragmentBudget, label);
          equal(asyncError.replace("Error: ", ""), outcome.hint.split(" Send")[0], label);
        } else if (/Invalid URL/.test(asyncError)) equal("invalid-request", outcome.code, label);
        else equal(asyncError, `Error: ${outcome.message}`, label);
        continue;
      }
      const got = await ask;
      for (const name of ["codec", "hash", "url", "markdownUrl", "markdownLink"]) await matches(wanted[name], got[name], `${name} of ${label}`);
      equal(wanted.fragmentLength, got.visibleLength, label);
      equal(wanted.markdownLinkLength, got.markdownLinkLength, label);
      equal(wanted.discordMarkdownLinkWarning, got.discordMarkdownLinkWarning, label);
      tally.count += 8;
    }
    for (const row of envelopeLinks) {
      if (!["plain", "lz", "arx4", "arx5"].includes(row.codec)) continue; // other encoders' bytes
      const got = await codec.encode({ envelope: named.get(row.name), codec: row.codec, baseUrl: "https://agent-render.com/" });
      for (const name of ["hash", "url", "markdownUrl", "markdownLink"]) await matches(row[name], got[name], `${name} of ${row.name} ${row.codec}`);
      tally.count += 4;
    }
    return tally.count;
  });

  add("tuple codecs keep lone surrogates", undefined, async (tally) => {
    const codec = await openCodec("test");
    const content = "cut \ud83d here, \udc00 there, whole \u{1f680}";
    for (const name of [...TUPLE_CODECS, "plain", "lz", "deflate", "arx"]) {
      const { fragment } = await codec.encode({ artifact: { kind: "markdown", content }, codec: name });
      equal(content, (await codec.decode(fragment)).envelope.artifacts[0].content, name);
      tally.count++;
    }
    return tally.count;
  });

  return list;
}
