/** The reference gateway at `/embeddings`: a long answer passes through, and nothing of it is kept. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { ServerResponse } from "node:http"
import { ListInObject } from "../../../../examples/gateway/src/ListInObject.ts"
import { deferred } from "../deferred.ts"
import { at, bodyOf, dialectsUnderTest } from "./dialectsUnderTest.ts"

const { budgetOf, embed, newKey, patience, patienceBegun, recorded, settledOf, upstream } = dialectsUnderTest()

const vector = Array.from({ length: 20_000 }, (_, index) => Math.sin(index))
const data = [0, 1].map((index) => ({ object: "embedding", index, embedding: vector }))
const answer = { object: "list", data, model: "scripted-2026", usage: { prompt_tokens: 7, total_tokens: 7 } }
const text = JSON.stringify(answer)
const heldPrompt = '{"input":["one","two"]}'.length / 1000

/** Sends all but the end, and that when it may. */
const sendsUntil = (end: Promise<void>, last: (response: ServerResponse) => void) =>
  upstream.plays("openai", async (_, response) => {
    response.writeHead(200, { "content-type": "application/json" })
    response.write(text.slice(0, -200))
    await end
    last(response)
  })

describe("a long list", () => {
  it("reaches its client while it comes, with the model's name of the catalog and what it costs", async () => {
    const key = await newKey()
    const read = deferred()
    sendsUntil(read.promise, (response) => response.end(text.slice(-200)))
    const answered = await embed(key)
    read.resolve()
    const body = await bodyOf(answered)
    assert.deepEqual(body["data"], data)
    assert.deepInclude(body, {
      id: answered.headers.get("x-generation-id"),
      object: "list",
      model: "acme/sonnet",
      provider: "openai"
    })
    assert.deepInclude(body["usage"], { prompt_tokens: 7, total_tokens: 7, cost: 0.007 })
    assert.deepEqual(await budgetOf(key), { spent: "0.007", held: "0" })
    assert.deepEqual(await recorded("provider"), [["openai", 1, 7]])
  })

  it("is whole wherever its fields are", async () => {
    for (const order of [answer, { usage: answer.usage, extra: { data: [1] }, list: [], data, object: "list" }]) {
      upstream.plays("openai", (_, response) => response.end(JSON.stringify(order)))
      const body = await bodyOf(await embed(await newKey()))
      assert.deepEqual(body["data"], data)
      assert.strictEqual(at(body, "usage", "prompt_tokens"), 7)
    }
  })

  for (const [how, last] of [
    ["breaks off", (response: ServerResponse) => response.destroy()],
    ["is no JSON in the end", (response: ServerResponse) => response.end("]}")],
    ["ends with an error", (response: ServerResponse) => response.end(`]}],"error":{"message":"no"}}`)],
    ["has an end without end", (response: ServerResponse) => response.end(`]}],"x":"${"x".repeat(1_100_000)}"}`)]
  ] as const)
    it(`cuts its connection and is charged as it was held where it ${how}`, async () => {
      const key = await newKey()
      const read = deferred()
      sendsUntil(read.promise, last)
      const answered = await embed(key)
      assert.strictEqual(answered.status, 200)
      read.resolve()
      const whole = await answered.text().then(
        () => true,
        () => false
      )
      assert.isFalse(whole)
      await settledOf(key)
      assert.isAtLeast(Number((await budgetOf(key)).spent), heldPrompt)
    })

  it("is read to its usage where its client left", async () => {
    const key = await newKey()
    const left = deferred()
    sendsUntil(left.promise, (response) => response.end(text.slice(-200)))
    const answered = await embed(key)
    await answered.body?.cancel()
    await patienceBegun()
    left.resolve()
    await settledOf(key)
    assert.deepEqual(await budgetOf(key), { spent: "0.007", held: "0" })
  })

  it("is charged as it was held where its client left and it has no end", async () => {
    const key = await newKey()
    sendsUntil(deferred().promise, () => {})
    const answered = await embed(key)
    await answered.body?.cancel()
    await patienceBegun()
    for (const giveUp of patience) giveUp()
    await settledOf(key)
    assert.isAtLeast(Number((await budgetOf(key)).spent), heldPrompt)
  })
})

describe("the entries of a list in an object", () => {
  it("are the same, wherever its bytes are cut", () => {
    const field = fc.tuple(fc.string(), fc.jsonValue())
    fc.assert(
      fc.property(
        fc.array(field),
        fc.array(fc.jsonValue()),
        fc.array(field),
        fc.array(fc.nat()),
        (before, entries, after, places) => {
          const others = (fields: readonly (readonly [string, unknown])[]) => fields.filter(([name]) => name !== "data")
          const pairs: readonly (readonly [string, unknown])[] = [
            ...others(before),
            ["data", entries],
            ...others(after)
          ]
          const print = (list: unknown) =>
            `{${pairs.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(name === "data" ? list : value)}`).join(" , ")}}`
          const bytes = Buffer.from(print(entries))
          const cuts = [...new Set(places.map((place) => place % bytes.length))].sort((one, other) => one - other)
          for (const ends of [[], cuts, bytes.keys()]) {
            const found = new ListInObject("data")
            const parts: Uint8Array[] = []
            let from = 0
            for (const end of [...ends, bytes.length]) {
              parts.push(found.push(bytes.subarray(from, end)))
              from = end
            }
            assert.deepEqual(JSON.parse(`[${Buffer.concat(parts).toString()}]`), JSON.parse(JSON.stringify(entries)))
            assert.strictEqual(found.takeRest(), print([]))
          }
        }
      )
    )
  })
})
