/** The reference gateway. Server-sent events, however their bytes are cut. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { vi } from "vitest"
import { eventsOfTokens, readEvents } from "../../../examples/gateway/src/readEvents.ts"

async function* pieces(bytes: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* bytes
}

const read = async (bytes: readonly Uint8Array[]): Promise<readonly string[]> => {
  const events: string[] = []
  for await (const event of readEvents(pieces(bytes))) events.push(event)
  return events
}

const utf8 = new TextEncoder()
const cut = (bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] => {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}

/** Data, and how it is written. */
const line = fc.record({
  text: fc.oneof(
    fc.string({ unit: fc.constantFrom("data:", " ", "a", "é", "😀", ":") }).map((text) => `data:${text}`),
    fc.constantFrom("", "", ": comment", "event: x", "id: 7", "data", "datum: 1")
  ),
  end: fc.constantFrom("\n", "\r\n", "\r")
})

/** Every line is known, so that nothing is searched for. */
const expected = (texts: readonly string[]): readonly string[] => {
  const events: string[] = []
  let data: string[] = []
  for (const text of texts)
    if (text.startsWith("data:")) data.push(text[5] === " " ? text.slice(6) : text.slice(5))
    else if (text === "" && data.length > 0) {
      events.push(data.join("\n"))
      data = []
    }
  return events
}

describe("server-sent events", () => {
  it("are the same, wherever their bytes are cut", () =>
    fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(fc.nat()), async (lines, places) => {
        // A carriage return and a line feed that meet are one end.
        const apart = lines.map(({ text, end }, index) => ({
          text,
          end: end === "\r" && lines[index + 1]?.text === "" && lines[index + 1]?.end === "\n" ? "\r\n" : end
        }))
        const bytes = utf8.encode(apart.map(({ text, end }) => text + end).join(""))
        const events = expected(apart.map(({ text }) => text))
        assert.deepEqual(await read([bytes]), events)
        assert.deepEqual(await read(cut(bytes, places)), events)
        assert.deepEqual(await read([...bytes].map((byte) => Uint8Array.of(byte))), events)
      })
    ))

  it("cost as much as they are long, in however many pieces they come", async () => {
    const text = "x".repeat(100_000)
    const bytes = utf8.encode(`data: ${text}\n\n`)
    let searched = 0
    const { split } = String.prototype
    const spy = vi.spyOn(String.prototype, "split").mockImplementation(function (this: string, ...by: unknown[]) {
      searched += String(this).length
      return Reflect.apply(split, this, by) as string[]
    })
    try {
      assert.deepEqual(
        await read(
          cut(
            bytes,
            Array.from({ length: 5_000 }, (_, index) => index * 20)
          )
        ),
        [text]
      )
    } finally {
      spy.mockRestore()
    }
    assert.isAtMost(searched, 2 * bytes.length)
  })

  it("let others run, however many streams come at once", async () => {
    let isOver = false
    let handled = 0
    let most = 0
    const turn = (): void => {
      most = Math.max(most, handled)
      handled = 0
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    const piece = utf8.encode("data: x\n\n".repeat(1_000))
    const readAll = async () => {
      for await (const _ of readEvents(pieces([piece]))) handled++
    }
    await Promise.all(Array.from({ length: 50 }, readAll))
    isOver = true
    assert.isAtMost(most, 64)
  })

  it("let others run while they come", async () => {
    let turns = 0
    let isOver = false
    const turn = (): void => {
      turns++
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    const piece = utf8.encode("data: x\n\n".repeat(8_192))
    assert.lengthOf(await read(Array.from({ length: 20 }, () => piece)), 20 * 8_192)
    isOver = true
    assert.isAtLeast(turns, 20)
  })

  for (const [what, piece] of [
    ["events", "data: x\n\n"],
    ["comments", ":\n"],
    ["empty events", "\n"],
    ["lines of an event", "a\n"]
  ] as const)
    it(`let others run between the ${what} of one piece`, async () => {
      let turns = 0
      let isOver = false
      const turn = (): void => {
        turns++
        if (!isOver) setImmediate(turn)
      }
      setImmediate(turn)
      await read([utf8.encode(piece.repeat(16_384))])
      isOver = true
      assert.isAtLeast(turns, what === "lines of an event" ? 2 : 200)
    })

  for (const [what, one] of [
    ["events", "data: x\n\n"],
    ["comments", ":\n"],
    ["empty events", "\n"],
    ["empty events with names", "event: x\n\n"]
  ] as const)
    it(`end with an error after more ${what} than an answer may have`, async () => {
      const many = utf8.encode(one.repeat(100))
      const readAll = async (most: number) => {
        for await (const _ of readEvents(pieces([many]), undefined, most));
      }
      await readAll(100)
      const cause = await readAll(99).catch((thrown: unknown) => thrown)
      assert.instanceOf(cause, Error)
    })

  it("may be two for each token that was granted and some thousands, and a million of all", () => {
    assert.strictEqual(eventsOfTokens(50), 4_496)
    assert.strictEqual(eventsOfTokens(100_000_000), 1_000_000)
    assert.strictEqual(eventsOfTokens(Infinity), 1_000_000)
  })

  for (const [what, piece] of [
    ["a line", "x".repeat(65_536)],
    ["an event", `data: ${"x".repeat(65_528)}\n`],
    ["a row of comments", ":\n".repeat(32_768)],
    ["a row of empty lines", "\n".repeat(65_536)],
    ["a row of empty data", "data:\n".repeat(10_923)]
  ] as const)
    it(`end with an error where ${what} has no end`, async () => {
      let sent = 0
      const endless = (async function* () {
        for (; sent < 100_000_000; sent += piece.length) yield utf8.encode(piece)
      })()
      const cause = await readEvents(endless)
        .next()
        .catch((thrown: unknown) => thrown)
      assert.instanceOf(cause, Error)
      assert.isAtMost(sent, 17_000_000)
    })
})
