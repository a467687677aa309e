/*
 * schema.mjs - checks a value against the part of JSON Schema (2020-12) that openapi.json uses. A
 * keyword it does not know is an error, so that nothing goes unchecked.
 */
const ANNOTATIONS = new Set(["description", "format", "title", "default", "examples"]);

const typeOf = (value) =>
  value === null ? "null" : Array.isArray(value) ? "array" : Number.isInteger(value) ? "integer" : typeof value;
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** What the document has at "#/a/b". */
export function resolve(document, reference) {
  let at = document;
  for (const name of reference.replace(/^#\//, "").split("/"))
    at = at?.[name.replaceAll("~1", "/").replaceAll("~0", "~")];
  if (at === undefined) throw new Error(`${reference} leads nowhere`);
  return at;
}

const CHECKS = {
  $ref: (reference, value, document, where) => faults(document, resolve(document, reference), value, where),
  type: (types, value) => {
    const got = typeOf(value);
    const fits = [types].flat().some((type) => type === got || (type === "number" && got === "integer"));
    return fits ? [] : [`is ${got}, not ${types}`];
  },
  enum: (values, value) => (values.some((one) => same(one, value)) ? [] : [`${JSON.stringify(value)} is none of ${values}`]),
  const: (wanted, value) => (same(wanted, value) ? [] : [`is not ${JSON.stringify(wanted)}`]),
  pattern: (pattern, value) =>
    typeof value !== "string" || new RegExp(pattern, "u").test(value) ? [] : [`${JSON.stringify(value)} is not like ${pattern}`],
  minLength: (least, value) => (typeof value !== "string" || value.length >= least ? [] : ["is too short"]),
  maxLength: (most, value) => (typeof value !== "string" || value.length <= most ? [] : ["is too long"]),
  minimum: (least, value) => (typeof value !== "number" || value >= least ? [] : [`is less than ${least}`]),
  maximum: (most, value) => (typeof value !== "number" || value <= most ? [] : [`is more than ${most}`]),
  minItems: (least, value) => (!Array.isArray(value) || value.length >= least ? [] : ["has too few items"]),
  items: (schema, value, document, where) =>
    Array.isArray(value) ? value.flatMap((item, i) => faults(document, schema, item, `${where}[${i}]`)) : [],
  required: (names, value) =>
    typeOf(value) === "object" ? names.filter((name) => !(name in value)).map((name) => `lacks ${name}`) : [],
  properties: (schemas, value, document, where) =>
    typeOf(value) === "object"
      ? Object.entries(schemas).flatMap(([name, schema]) => (name in value ? faults(document, schema, value[name], `${where}.${name}`) : []))
      : [],
  additionalProperties: (allowed, value, document, where, schema) => {
    if (allowed !== false) throw new Error("additionalProperties is false or not there");
    if (typeOf(value) !== "object") return [];
    return Object.keys(value)
      .filter((name) => !(name in (schema.properties ?? {})))
      .map((name) => `has ${name}, of which nothing is said`);
  },
  allOf: (schemas, value, document, where) => schemas.flatMap((schema) => faults(document, schema, value, where)),
  anyOf: (schemas, value, document, where) =>
    schemas.some((schema) => faults(document, schema, value, where).length === 0) ? [] : ["fits none of anyOf"],
  oneOf: (schemas, value, document, where) =>
    schemas.filter((schema) => faults(document, schema, value, where).length === 0).length === 1 ? [] : ["does not fit one of oneOf"],
};

/** What is wrong with the value: a list of sentences, empty when nothing is. */
export function faults(document, schema, value, where = "$") {
  return Object.entries(schema).flatMap(([keyword, argument]) => {
    if (ANNOTATIONS.has(keyword)) return [];
    if (!(keyword in CHECKS)) throw new Error(`unknown keyword ${keyword} at ${where}`);
    const found = CHECKS[keyword](argument, value, document, where, schema);
    return found.map((fault) => (fault.startsWith("$") ? fault : `${where} ${fault}`));
  });
}
