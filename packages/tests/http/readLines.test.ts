/** Lines of a body count as in flight from their arrival until the operation has recorded their group. */
import { assert, describe, it } from "@effect/vitest"
import { SentUsageEvent } from "@gatewarden/contract"
import { Effect, Stream } from "effect"
import type { AppRequest } from "../../core/src/http/AppRequest.ts"
import { defaultBodyLimits } from "../../core/src/http/BodyLimits.ts"
import { BytesInFlight } from "../../core/src/http/BytesInFlight.ts"
import { readLines } from "../../core/src/http/readLines.ts"
import { weighJson } from "../../core/src/value/measureJson.ts"
import { layerPlatform } from "../../node/src/platform/layerPlatform.ts"

const body = {
  kind: "jsonOrLines",
  schema: SentUsageEvent,
  maxBytes: 33_554_432,
  maxValues: 500_000,
  line: SentUsageEvent,
  maxLineBytes: 1_048_576
} as const

const event = { created_at: "2026-03-04T05:06:07Z", model: "m/m", provider: "p", cost_usd: "0" }
const lineOf = (id: number, fields: object) =>
  JSON.stringify({ ...event, id: `${id}`, prompt_tokens: 1, completion_tokens: 1, ...fields })

const counting = (cap: number) =>
  new BytesInFlight({ process: cap, key: cap }, { process: "bodies_in_flight", key: "key_bodies_in_flight" })

const sender = { key: "key", account: "account", reserve: true }

const chunkBytes = 65_536
const chunksOf = (text: string): Stream.Stream<Uint8Array> => {
  const bytes = new TextEncoder().encode(text)
  return Stream.fromIterable(
    Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, at) =>
      bytes.subarray(at * chunkBytes, (at + 1) * chunkBytes)
    ),
    { chunkSize: 1 }
  )
}

/** Reads lines as the operation does: a group is recorded when the one behind it is there. */
const read = Effect.fnUntraced(function* (sent: readonly string[]) {
  const [json, values] = [counting(1_000_000_000), counting(1_000_000_000)]
  const request = { headers: {}, stream: () => chunksOf(sent.join("\n")) } as unknown as AppRequest
  const held = [json.hold(sender), values.hold(sender)] as const
  const { value } = yield* readLines(request, body, defaultBodyLimits, ...held)
  const groups: (readonly { readonly id: string }[])[] = []
  const counted: number[] = []
  yield* Stream.runForEach(value.lines as Stream.Stream<readonly { readonly id: string }[]>, (group) =>
    Effect.sync(() => {
      groups.push(group)
      counted.push(json.size + values.size)
    })
  )
  for (const one of held) one.release()
  assert.strictEqual(json.size + values.size, 0)
  return { groups, counted }
}, Effect.provide(layerPlatform))

const weightOf = (line: string): number => {
  const { values, text } = weighJson(new TextEncoder().encode(line))
  return values + text
}

const group = 4_194_304

const long = "x".repeat(900_000)
const longest = {
  "a trace of one long text": { trace: { long } },
  "a trace of many small values": { trace: { small: Array.from({ length: 20_000 }, () => ({ 34: 0 })) } },
  "a wide text": { trace: { wide: "語".repeat(200_000) } },
  "an input": { input: long },
  tags: {
    classifiers: { a: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`tag-${at}`, "x".repeat(60)])) }
  },
  nothing: {}
}

describe("lines of a body", () => {
  for (const [name, fields] of Object.entries(longest))
    it.live(`come in groups of a few MiB, and count until they are recorded: ${name}`, () =>
      Effect.gen(function* () {
        const lines = Array.from({ length: name === "nothing" ? 5_000 : 12 }, (_, id) => lineOf(id, fields))
        const { groups, counted } = yield* read(lines)
        assert.deepEqual(
          groups.flat().map(({ id }) => id),
          lines.map((_, id) => `${id}`)
        )
        const weights = groups.map((lines) =>
          lines.reduce((sum, { id }) => sum + weightOf(lineOf(Number(id), fields)), 0)
        )
        for (const [at, weight] of weights.entries())
          assert.isTrue(weight <= group || groups[at]?.length === 1, `${weight} bytes in a group`)
        // That of the group itself, the one that is recorded meanwhile, and what has arrived behind them; a little is free.
        const line = Math.max(...lines.map(weightOf))
        for (const [at, bytes] of counted.entries()) {
          const own = (weights[at] ?? 0) + (weights[at - 1] ?? 0)
          assert.isAtLeast(bytes, own - 150_000)
          assert.isAtMost(bytes, own + 2 * line + 2 * chunkBytes)
        }
      })
    )

  it.live("are refused as a body is, beyond what others leave", () =>
    Effect.gen(function* () {
      const [json, values] = [counting(16_000_000), counting(16_000_000)]
      json.hold(sender).add(500_000)
      const request = {
        headers: {},
        stream: () => chunksOf(Array.from({ length: 40 }, (_, id) => lineOf(id, { trace: { long } })).join("\n"))
      } as unknown as AppRequest
      const { value } = yield* readLines(request, body, defaultBodyLimits, json.hold(sender), values.hold(sender))
      const refusal = yield* Effect.flip(Stream.runDrain(value.lines))
      assert.deepInclude(refusal, { status: 429, reason: "key_bodies_in_flight" })
    }).pipe(Effect.provide(layerPlatform))
  )
})
