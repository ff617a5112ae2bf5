import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { Failed } from "../../node/src/failure/Failed.ts"
import { type ExportedEvent, adjustmentsOf, compare, nanosOf, readBill, split } from "../../node/src/usage/reconcile.ts"

const usd = 1_000_000_000n

const refusalOf = (text: string): string => {
  try {
    readBill(text)
  } catch (cause) {
    if (cause instanceof Failed) return cause.message
    throw cause
  }
  return assert.fail("The bill was read")
}

const eventOf = (id: string, cost_usd: string): ExportedEvent => ({
  ...{ id, cost_usd, created_at: "2026-03-01T08:00:00.000Z", model: "acme/a", provider: "acme" },
  ...{ prompt_tokens: 3, completion_tokens: 4, status: "ok", cost_components: { usage_web: "1" } }
})

describe("a bill", () => {
  it("is summed by day and model, with tokens where they are told", () => {
    const text = [
      "\ufeffdate,model,cost_usd,prompt_tokens,completion_tokens,note",
      "2026-03-01,a,1.5,10,5,x",
      "2026-03-01,a,0.25,,,",
      '2026-03-02,"a",1e-9,7,,',
      "2026-03-02,b,0,,,",
      ""
    ].join("\r\n")
    assert.deepEqual(readBill(text), [
      { date: "2026-03-01", model: "a", nanos: 1_750_000_000n, tokens: 15n },
      { date: "2026-03-02", model: "a", nanos: 1n, tokens: 7n },
      { date: "2026-03-02", model: "b", nanos: 0n, tokens: null }
    ])
    assert.deepEqual(readBill("date,model,cost_usd\n"), [])
  })

  it("is refused with the record that is wrong", () => {
    const header = "date,model,cost_usd,prompt_tokens\n"
    for (const [record, what] of [
      ["2026-02-30,a,1,", "date"],
      ["March,a,1,", "date"],
      ["2026-03-01,,1,", "model"],
      ["2026-03-01,a,-1,", "cost_usd"],
      ["2026-03-01,a,one,", "cost_usd"],
      ["2026-03-01,a,1,0.5", "tokens"]
    ] as const)
      assert.strictEqual(refusalOf(`${header}2026-03-01,a,1,1\n${record}\n`), `Record 2 has no valid ${what}`)
    assert.strictEqual(refusalOf("date,model\n2026-03-01,a\n"), "The header does not name cost_usd")
    assert.include(refusalOf('date,model,cost_usd\n2026-03-01,"a,1\n'), "no CSV")
  })

  it("rounds half a nano-dollar up", () => {
    assert.deepEqual(["0.0000000005", "0.00000000049", "12", "1e+2", " 1.5 ", "", "-0.1"].map(nanosOf), [
      1n,
      0n,
      12n * usd,
      100n * usd,
      1_500_000_000n,
      undefined,
      undefined
    ])
  })
})

describe("a comparison", () => {
  const recordedOf = (date: string, model: string, nanos: bigint) => ({ date, model, nanos, tokens: 1n })

  it("has each day and model of either side, and finds a model by the end of its name", () => {
    const recorded = [
      recordedOf("2026-03-02", "acme/a", 3n),
      recordedOf("2026-03-01", "acme/a", 2n),
      recordedOf("2026-03-01", "x/b", 1n),
      recordedOf("2026-03-01", "y/b", 1n)
    ]
    const billed = [
      { date: "2026-03-01", model: "a", nanos: 5n, tokens: 9n },
      { date: "2026-03-01", model: "acme/a", nanos: 1n, tokens: null },
      { date: "2026-03-01", model: "b", nanos: 4n, tokens: null }
    ]
    assert.deepEqual(
      compare(billed, recorded).map(({ date, model, billed, recorded, billed_tokens }) => [
        ...[date, model, billed, recorded, billed_tokens]
      ]),
      [
        ["2026-03-01", "acme/a", 6n, 2n, 9n],
        ["2026-03-01", "b", 4n, 0n, null],
        ["2026-03-01", "x/b", 0n, 1n, null],
        ["2026-03-01", "y/b", 0n, 1n, null],
        ["2026-03-02", "acme/a", 0n, 3n, null]
      ]
    )
  })
})

describe("proposed adjustments", () => {
  it("make the events cost what was billed, each in proportion, and leave the rest as it is", () => {
    const proposed = adjustmentsOf([eventOf("a", "1"), eventOf("b", "3"), eventOf("c", "0")], 2n * usd)
    assert.deepEqual(
      proposed.map(({ adjusts, cost_usd }) => [adjusts, cost_usd]),
      [
        ["a", "0.5"],
        ["b", "1.5"]
      ]
    )
    assert.deepInclude(proposed[0], {
      ...{ created_at: "2026-03-01T08:00:00.000Z", model: "acme/a", provider: "acme" },
      ...{ prompt_tokens: 3, completion_tokens: 4, cost_components: { usage_web: "1" } }
    })
    assert.notProperty(proposed[0], "status")
  })

  it("have ids of their events and amounts", () => {
    const idOf = (id: string, cost: string, billed: bigint) => adjustmentsOf([eventOf(id, cost)], billed)[0]?.["id"]
    const id = idOf("a", "1", usd / 2n)
    assert.match(String(id), /^reconciled-[0-9a-f]{40}$/)
    assert.strictEqual(idOf("a", "1", usd / 2n), id)
    for (const other of [idOf("b", "1", usd / 2n), idOf("a", "2", usd / 2n), idOf("a", "1", usd / 4n)])
      assert.notStrictEqual(other, id)
  })

  it("are none where both sides are equal, and equal parts where nothing was recorded", () => {
    assert.deepEqual(adjustmentsOf([eventOf("a", "1"), eventOf("b", "2")], 3n * usd), [])
    assert.deepEqual(adjustmentsOf([], usd), [])
    assert.deepEqual(
      adjustmentsOf([eventOf("a", "0"), eventOf("b", "0")], 3n).map(({ cost_usd }) => cost_usd),
      ["0.000000002", "0.000000001"]
    )
  })

  it("split any amount to the nano-dollar, and give nothing to what has no weight", () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 18n })
    fc.assert(
      fc.property(amount, fc.array(amount, { minLength: 1, maxLength: 9 }), (total, weights) => {
        const parts = split(total, weights)
        assert.strictEqual(
          parts.reduce((sum, part) => sum + part, 0n),
          total
        )
        const sum = weights.reduce((all, weight) => all + weight, 0n)
        for (const [index, part] of parts.entries())
          if (sum > 0n) {
            const exact = total * (weights[index] ?? 0n)
            assert.isTrue(part * sum <= exact + sum && part * sum > exact - sum)
            if (weights[index] === 0n) assert.strictEqual(part, 0n)
          }
      })
    )
  })
})
