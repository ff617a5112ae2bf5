import type { DestinationFilterRules } from "@gatewarden/contract/internal"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { compileRules, type JudgedEvent, sharedBudget, spending } from "../../core/src/delivery/filterRules.ts"
import { sampledShare } from "../../core/src/destination/sampling.ts"
import { recipientOf, type SelectingFields, selectDestinations } from "../../core/src/delivery/selectDestinations.ts"
import { textOfBody, withoutMedia } from "../../core/src/delivery/withoutMedia.ts"
import type { UsageEvent } from "../../core/src/ports/usage.ts"

const ran = <A>(steps: Generator<unknown, A>): A => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

const eventOf = (fields: Partial<UsageEvent>): UsageEvent =>
  ({
    id: "e",
    model: "acme/sonnet",
    variant: "",
    provider: "acme",
    api_key_hash: null,
    user_id: null,
    external_user: null,
    session_id: null,
    data_region: null,
    finish_reason: null,
    prompt_tokens: 0,
    completion_tokens: 0,
    cost_nanos: 0n,
    byok_cost_nanos: 0n,
    trace: null,
    ...fields
  }) as UsageEvent

const judgedOf = (fields: Partial<UsageEvent>, more: Partial<JudgedEvent> = {}): JudgedEvent => ({
  event: eventOf(fields),
  api_key_name: null,
  input: null,
  output: null,
  ...more
})

const destination = (fields: Partial<SelectingFields>): SelectingFields => ({
  id: "d",
  privacy_mode: false,
  sampling_rate: 1,
  api_key_hashes: null,
  regions: ["global"],
  filter_rules: null,
  ...fields
})

const isSelected = (fields: Partial<SelectingFields>, judged: JudgedEvent): boolean =>
  ran(selectDestinations([recipientOf(destination(fields))], judged, sharedBudget())).length > 0

describe("sampling", () => {
  it("is the same for ever", () => {
    assert.deepEqual(
      [sampledShare("d", "s"), sampledShare("e", "s"), sampledShare("d", "t")].map((share) => share.toFixed(9)),
      ["0.360684622", "0.554773076", "0.133191684"]
    )
  })

  it("a higher rate only adds", () => {
    const rate = fc.double({ min: 0.0001, max: 1, noNaN: true })
    fc.assert(
      fc.property(fc.uuid(), fc.string(), rate, rate, (id, session_id, a, b) => {
        const judged = judgedOf({ session_id })
        const [low, high] = a < b ? [a, b] : [b, a]
        if (isSelected({ id, sampling_rate: low }, judged))
          assert.isTrue(isSelected({ id, sampling_rate: high }, judged))
      })
    )
  })

  it("takes a session as a whole, else a trace, and destinations apart", () => {
    const shares = Array.from({ length: 4_000 }, (_, index) => sampledShare("d", `s${index}`))
    for (const rate of [0.1, 0.5, 0.9])
      assert.closeTo(shares.filter((share) => share < rate).length / shares.length, rate, 0.03)
    const both = shares.filter((share, index) => share < 0.5 && sampledShare("e", `s${index}`) < 0.5)
    assert.closeTo(both.length / shares.length, 0.25, 0.03)
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (group, a, b) => {
        const of = (fields: Partial<UsageEvent>) => isSelected({ sampling_rate: 0.5 }, judgedOf(fields))
        assert.strictEqual(of({ id: a, session_id: group }), of({ id: b, session_id: group }))
        if (group !== "") assert.strictEqual(of({ id: a, trace: { trace_id: group } }), of({ session_id: group }))
        assert.strictEqual(of({ id: group }), of({ session_id: group }))
      })
    )
  })
})

/** The rules once more, in other words: by JavaScript's own comparison of integers in billionths, and RegExp. */
const holds = (rule: DestinationFilterRules["groups"][number]["rules"][number], judged: JudgedEvent): boolean => {
  const { event } = judged
  const amounts: Readonly<Record<string, bigint>> = {
    total_cost: event.cost_nanos + event.byok_cost_nanos,
    total_tokens: (BigInt(event.prompt_tokens) + BigInt(event.completion_tokens)) * 10n ** 9n,
    prompt_tokens: BigInt(event.prompt_tokens) * 10n ** 9n,
    completion_tokens: BigInt(event.completion_tokens) * 10n ** 9n
  }
  const texts: Readonly<Record<string, string | null>> = {
    model: event.variant === "" ? event.model : `${event.model}:${event.variant}`,
    provider: event.provider,
    session_id: event.session_id,
    user_id: event.user_id ?? event.external_user,
    api_key_name: judged.api_key_name,
    finish_reason: event.finish_reason,
    input: judged.input,
    output: judged.output
  }
  const amount = amounts[rule.field]
  const text = texts[rule.field] ?? null
  const has = amount !== undefined || text !== null
  if (rule.operator === "exists") return has
  if (rule.operator === "not_exists") return !has
  if (rule.value === undefined) return false
  if (!has) return rule.operator === "not_equals" || rule.operator === "not_contains"
  const value = String(rule.value)
  const billionths = (written: string): bigint | undefined => {
    const match = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(written)
    if (match === null) return undefined
    const digits = BigInt(`${match[2]}${(match[3] ?? "").padEnd(9, "0")}`)
    return match[1] === "-" ? -digits : digits
  }
  const whole = amount === undefined ? "" : String(amount / 10n ** 9n)
  const fraction =
    amount === undefined
      ? ""
      : String(amount % 10n ** 9n)
          .padStart(9, "0")
          .replace(/0+$/, "")
  const shown = amount === undefined ? (text ?? "") : fraction === "" ? whole : `${whole}.${fraction}`
  const own = amount ?? billionths(shown)
  const other = billionths(value)
  switch (rule.operator) {
    case "equals":
      return amount === undefined ? shown === value : own === other
    case "not_equals":
      return amount === undefined ? shown !== value : own !== other
    case "contains":
      return shown.includes(value)
    case "not_contains":
      return !shown.includes(value)
    case "starts_with":
      return shown.startsWith(value)
    case "ends_with":
      return shown.endsWith(value)
    case "regex":
      return (new RegExp(value, "u").exec(shown)?.[0].length ?? 0) > 0
    default: {
      if (own === undefined || other === undefined) return false
      const order = own < other ? -1 : own > other ? 1 : 0
      return { gt: order > 0, lt: order < 0, gte: order >= 0, lte: order <= 0 }[rule.operator]
    }
  }
}

const fields = [
  "model",
  "provider",
  "session_id",
  "user_id",
  "api_key_name",
  "finish_reason",
  "input",
  "output",
  "total_cost",
  "total_tokens",
  "prompt_tokens",
  "completion_tokens"
] as const
const operators = [
  "equals",
  "not_equals",
  "contains",
  "not_contains",
  "starts_with",
  "ends_with",
  "gt",
  "lt",
  "gte",
  "lte",
  "exists",
  "not_exists"
] as const

const word = fc.constantFrom("a", "ab", "1", "1.5", "0.000000001", "2", "acme", "")
const rule = fc.oneof(
  fc.record(
    {
      field: fc.constantFrom(...fields),
      operator: fc.constantFrom(...operators),
      value: fc.oneof(word, fc.constantFrom(0, 1, 1.5, 3, -1, 9_007_199_254_740_991))
    },
    { requiredKeys: ["field", "operator"] }
  ),
  fc.record({
    field: fc.constantFrom(...fields),
    operator: fc.constant("regex" as const),
    value: fc.constantFrom("a", "^a", "b$", "[0-9]+", "x", "1|b")
  })
)
const judged = fc
  .record({
    model: word,
    variant: fc.constantFrom("", "free"),
    session_id: fc.option(word),
    user_id: fc.option(word),
    external_user: fc.option(word),
    finish_reason: fc.option(word),
    prompt_tokens: fc.constantFrom(0, 1, 2, 9_007_199_254_740_991),
    completion_tokens: fc.constantFrom(0, 1, 9_007_199_254_740_991),
    cost_nanos: fc.constantFrom(0n, 1n, 1_500_000_000n, 2_000_000_000n),
    byok_cost_nanos: fc.constantFrom(0n, 1n),
    name: fc.option(word),
    input: fc.option(word),
    output: fc.option(word)
  })
  .map(({ name, input, output, ...event }) => judgedOf(event, { api_key_name: name, input, output }))

describe("filter rules", () => {
  it("judge as the oracle does", () => {
    const group = fc.record({
      logic: fc.constantFrom("and" as const, "or" as const),
      rules: fc.array(rule, { maxLength: 3 })
    })
    fc.assert(
      fc.property(fc.array(group, { maxLength: 3 }), fc.boolean(), judged, (groups, enabled, one) => {
        const rules = { enabled, groups } as DestinationFilterRules
        const compiled = compileRules(rules)
        const expected =
          !enabled ||
          rules.groups.every(({ logic, rules: own }) =>
            own.length === 0
              ? true
              : logic === "and"
                ? own.every((each) => holds(each, one))
                : own.some((each) => holds(each, one))
          )
        assert.strictEqual(
          compiled === null || ran(spending(sharedBudget(), (budget) => compiled.judge(one, budget))),
          expected
        )
      }),
      { numRuns: 3_000 }
    )
  })

  const matching = (value: string) =>
    recipientOf(
      destination({
        filter_rules: {
          enabled: true,
          groups: [{ logic: "and", rules: [{ field: "user_id", operator: "regex", value }] }]
        }
      })
    )
  /** Matches nothing of `a`, and takes long to say so at each of them. */
  const hostile = "(?:a?){900}(?:a?){900}b(?:a?){900}|x*"
  const slow = judgedOf({ user_id: "a".repeat(256) })

  it("take a bounded number of instructions for an event, and find nothing beyond them", () => {
    const shared = sharedBudget()
    const most = shared.left
    assert.isEmpty(ran(selectDestinations([matching(hostile)], slow, shared)))
    assert.strictEqual(shared.exceeded, 1)
    assert.isAtMost(most - shared.left, 5_500_000)
    const steps = selectDestinations([matching(hostile)], slow, sharedBudget())
    let count = 0
    while (steps.next().done !== true) count++
    assert.isAtMost(count, 200)
  })

  it("take a bounded number of instructions for events that are recorded together", () => {
    const shared = sharedBudget()
    for (let index = 0; index < 12; index++) ran(selectDestinations([matching(hostile)], slow, shared))
    assert.isAtMost(shared.left, 0)
    assert.strictEqual(shared.exceeded, 12)
    const judged = judgedOf({ user_id: "jane" })
    assert.isEmpty(ran(selectDestinations([matching("^jane$")], judged, shared)))
    assert.lengthOf(ran(selectDestinations([matching("^jane$")], judged, sharedBudget())), 1)
  })

  /** Rules of a destination that all look for one text in the input. */
  const containing = (count: number, operator: "contains" | "not_contains", value: string) =>
    recipientOf(
      destination({
        filter_rules: {
          enabled: true,
          groups: [
            {
              logic: operator === "contains" ? "or" : "and",
              rules: Array.from({ length: count }, () => ({ field: "input", operator, value }))
            }
          ]
        }
      })
    )
  const stepsOf = (recipient: ReturnType<typeof recipientOf>, judged: JudgedEvent, shared = sharedBudget()) => {
    const steps = selectDestinations([recipient], judged, shared)
    let count = 0
    for (let step = steps.next(); ; step = steps.next(), count++)
      if (step.done === true) return { count, isSelected: step.value.length > 0 }
  }

  it("are judged in steps: one for each rule", () => {
    const { count, isSelected } = stepsOf(containing(14_000, "not_contains", "b"), judgedOf({}, { input: "a" }))
    assert.isTrue(isSelected)
    assert.isAtLeast(count, 14_000)
  })

  it("search a bounded number of characters for an event, and do not match beyond them", () => {
    const judged = judgedOf({}, { input: "!".repeat(65_536) })
    for (const operator of ["contains", "not_contains"] as const) {
      const shared = sharedBudget()
      assert.isFalse(stepsOf(containing(14_000, operator, "!!!!!b"), judged, shared).isSelected)
      assert.strictEqual(shared.exceeded, 1)
      assert.isAtMost(sharedBudget().characters - shared.characters, 20_100_000)
    }
    const few = sharedBudget()
    assert.isTrue(stepsOf(containing(300, "not_contains", "!!!!!b"), judged, few).isSelected)
    assert.strictEqual(few.exceeded, 0)
  })

  it("search a bounded number of characters for events that are recorded together", () => {
    const judged = judgedOf({}, { input: "!".repeat(65_536) })
    const shared = sharedBudget()
    const recipient = containing(300, "not_contains", "absent")
    const selected = Array.from({ length: 12 }, () => stepsOf(recipient, judged, shared).isSelected)
    assert.include(selected, true)
    assert.isFalse(selected.at(-1))
    // Expressions have instructions of their own.
    assert.lengthOf(ran(selectDestinations([matching("^jane$")], judgedOf({ user_id: "jane" }), shared)), 1)
  })

  it("find in long texts what ordinary expressions look for", () => {
    const output = `${"All is well, said the fox (see page 12). ".repeat(1_600)}\nERROR 4711 at acct-123456`
    for (const value of [
      "(?i)error",
      "acct-[0-9]{6}",
      "fatal|ERROR|panic",
      "\\bERROR\\b.*[0-9]+$",
      "[A-Z]{5} \\d{4}",
      "x*|(?i)error 4"
    ]) {
      const rules = {
        enabled: true,
        groups: [{ logic: "and" as const, rules: [{ field: "output" as const, operator: "regex" as const, value }] }]
      }
      const shared = sharedBudget()
      const found = ran(
        selectDestinations([recipientOf(destination({ filter_rules: rules }))], judgedOf({}, { output }), shared)
      )
      assert.strictEqual(shared.exceeded, 0, value)
      assert.lengthOf(found, 1, value)
    }
  })
})

describe("regions and keys", () => {
  it("select by the event's region and key", () => {
    assert.isFalse(isSelected({}, judgedOf({ data_region: "europe" })))
    assert.isTrue(isSelected({ regions: ["europe"] }, judgedOf({ data_region: "europe" })))
    assert.isFalse(isSelected({ regions: ["europe"] }, judgedOf({})))
    assert.isFalse(isSelected({ api_key_hashes: ["a"] }, judgedOf({})))
    assert.isFalse(isSelected({ api_key_hashes: ["a"] }, judgedOf({ api_key_hash: "b" })))
    assert.isTrue(isSelected({ api_key_hashes: ["a", "b"] }, judgedOf({ api_key_hash: "b" })))
  })
})

describe("bodies", () => {
  const base64 = "QUJD".repeat(200)
  it("lose images, audio and files", () => {
    const body = {
      text: `look: ![](data:image/png;base64,${base64}) there`,
      url: `data:audio/mp3;base64,${base64}`,
      data: base64,
      link: "https://example.com/a.png"
    }
    const copied = withoutMedia(body)
    assert.deepEqual(copied, {
      text: "look: ![]([removed: image/png, 822 characters]) there",
      url: "[removed: audio/mp3, 822 characters]",
      data: "[removed: base64, 800 characters]",
      link: "https://example.com/a.png"
    })
  })

  it("are bounded, whatever they hold", () => {
    const limit = 200
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (body) => {
        const copied = JSON.stringify(withoutMedia(body, limit)) ?? ""
        // Quotes and escapes, and one marker in each enclosing list.
        assert.isBelow(copied.length, 8 * limit + JSON.stringify("x").length)
        if ((JSON.stringify(body) ?? "").length < 100) assert.deepEqual(withoutMedia(body, limit), body)
      })
    )
    assert.isBelow(
      JSON.stringify(
        withoutMedia(
          Array.from({ length: 100_000 }, () => 1),
          limit
        )
      ).length,
      2_000
    )
    assert.strictEqual(textOfBody({ a: ["x", { b: "y" }], c: 1 }, 100), "x\ny")
  })
})
