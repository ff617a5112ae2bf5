/** Values with something wrong put into them, somewhere: what a careless or a hostile client sends. */
import * as fc from "fast-check"
import { RawJson } from "./RawJson.ts"

/** A text that is sent in many places, and that no refusal may repeat. */
export const canary = "zQ7-canary-value"

const nested = (open: string, close: string, depth: number) =>
  new RawJson(`${open.repeat(depth)}0${close.repeat(depth)}`)

/** JSON values that belong nowhere in particular. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 0.5, "", " ", "0", "null", "true", [], {}, [null], [[]], { a: 1 }),
  fc.constantFrom<unknown>(
    ...["1e999", "-1e999", "-0", "1e-400", "0.1e1", "12345678901234567890123", "9007199254740993", "1.0000000001"].map(
      (text) => new RawJson(text)
    ),
    ...['"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"a\\u0000b"', '{"a":1,"a":2}', '{"__proto__":{"x":1}}'].map(
      (text) => new RawJson(text)
    ),
    nested("[", "]", 70),
    nested('{"a":', "}", 70)
  ),
  fc.constantFrom(
    canary,
    canary,
    "\u0001",
    "\u2028",
    "🙂".repeat(300),
    "x".repeat(11_000),
    "'; drop table gatewarden_account; --",
    "${7*7}",
    "\\u0000",
    "../../etc/passwd",
    "%00",
    "2026-02-30T00:00:00Z",
    "9999-12-31T23:59:59.999999999Z",
    "0000-00-00",
    "+010000-01-01T00:00:00Z",
    "00000000-0000-4000-8000-000000000000",
    "f".repeat(64),
    "https://user@example.com",
    "NaN",
    "Infinity",
    "1e999",
    "(?=a)",
    "(a{0,1000}){0,1000}"
  ),
  fc.constantFrom<unknown>(
    2 ** 31,
    2 ** 53,
    -(2 ** 53),
    1e21,
    1e-9,
    1e-10,
    1e9,
    1e9 + 1,
    Number.MAX_VALUE,
    Number.MIN_VALUE
  ),
  fc.constant(Array.from({ length: 1001 }, () => "x")),
  fc.constant(Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`k${index}`, index]))),
  fc.string({ unit: "binary", maxLength: 5 })
)

const oddName = fc.constantFrom(
  "__proto__",
  "constructor",
  "toString",
  "id",
  "account_id",
  "",
  "a.b",
  "é",
  "x".repeat(300)
)

interface Spot {
  /** Which member to go into at each level, counted around. */
  readonly way: readonly number[]
  readonly change: {
    readonly kind: "replace" | "remove" | "wrap" | "add"
    readonly value: unknown
    readonly name: string
  }
}

const spot: fc.Arbitrary<Spot> = fc.record({
  way: fc.array(fc.nat({ max: 60 }), { minLength: 1, maxLength: 4 }),
  change: fc.record({
    kind: fc.constantFrom(
      "replace" as const,
      "replace" as const,
      "replace" as const,
      "remove" as const,
      "wrap" as const,
      "add" as const
    ),
    value: oddValue,
    name: oddName
  })
})

const isContainer = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !(value instanceof RawJson)

const put = (object: object, name: string, value: unknown): object =>
  Object.defineProperty({ ...object }, name, { value, enumerable: true, configurable: true, writable: true })

const changed = (value: unknown, { way, change }: Spot): unknown => {
  const [here = 0, ...further] = way
  const keys = isContainer(value) ? Object.keys(value) : []
  const key = keys[here % Math.max(1, keys.length)]
  if (!isContainer(value) || key === undefined) return change.kind === "wrap" ? [value] : change.value
  const member: unknown = Reflect.get(value, key)
  const deeper = further.length > 0 && isContainer(member)
  if (Array.isArray(value)) {
    if (deeper)
      return value.map((item, index) => (String(index) === key ? changed(item, { way: further, change }) : item))
    if (change.kind === "remove") return value.filter((_, index) => String(index) !== key)
    if (change.kind === "add") return [...value, change.value]
    return value.map((item, index) => (String(index) !== key ? item : change.kind === "wrap" ? [item] : change.value))
  }
  if (deeper) return put(value, key, changed(member, { way: further, change }))
  if (change.kind === "remove") return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))
  if (change.kind === "add") return put(value, change.name, change.value)
  return put(value, key, change.kind === "wrap" ? { [key]: member } : change.value)
}

/** The same values with one or two changes each. */
export const spoiled = (values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(values, fc.array(spot, { minLength: 1, maxLength: 2 }))
    .map(([value, spots]) => spots.reduce<unknown>(changed, value))
