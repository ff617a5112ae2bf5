/** The reference gateway. What is kept of a stream whose texts are restored: little, however many texts a provider begins. */
import { assert, describe, it } from "@effect/vitest"
import { chat } from "../../../examples/gateway/src/dialects/chat.ts"
import type { Dialect, Fields, Shaping } from "../../../examples/gateway/src/dialects/Dialect.ts"
import { messages } from "../../../examples/gateway/src/dialects/messages.ts"
import { responses } from "../../../examples/gateway/src/dialects/responses.ts"
import { restoreChunks } from "../../../examples/gateway/src/dialects/restoreChat.ts"
import { changeTexts, type Restorer } from "../../../examples/gateway/src/dialects/restoreTexts.ts"

describe("texts of a stream that wait for the end of a placeholder", () => {
  /** How many texts were ended. */
  let ended = 0
  const restore = {
    text: (text: string) => text,
    /** Holds back what follows the last bracket. */
    stream: () => {
      let held = ""
      return {
        push: (piece: string) => {
          const text = held + piece
          const at = text.indexOf("[")
          held = at < 0 ? "" : text.slice(at)
          return text.slice(0, text.length - held.length)
        },
        end: () => {
          ended++
          return held
        }
      }
    }
  }
  const shapeOf = ({ stream }: Dialect) => {
    const shaping = { id: "x", created: 1, answering: { model: "m", provider: "p" }, form: {}, restore }
    const shape = stream?.({
      ...shaping,
      spent: () => ({
        used: { prompt_tokens: 1, completion_tokens: 1, reasoning_tokens: null },
        cost: { cost_usd: "0", byok_cost_usd: null, byok: false },
        ofPrompt: { cost_usd: "0", byok_cost_usd: null, byok: false }
      })
    } as unknown as Shaping)
    return shape ?? assert.fail()
  }

  const pieces = [
    [
      chat,
      (index: number, text: string, more: Fields) => ({
        choices: [{ index: 0, delta: { tool_calls: [{ index, function: { arguments: text } }], ...more } }]
      })
    ],
    [
      responses,
      (output_index: number, delta: string, more: Fields) => ({
        type: "response.output_text.delta",
        output_index,
        content_index: 0,
        delta,
        ...more
      })
    ],
    [
      messages,
      (index: number, text: string, more: Fields) => ({
        type: "content_block_delta",
        index,
        delta: { type: "text_delta", text },
        ...more
      })
    ]
  ] as const

  for (const [dialect, piece] of pieces) {
    it(`are at most some hundreds, of ${dialect.name}`, () => {
      const shape = shapeOf(dialect)
      for (let index = 0; index < 100; index++) shape.push(piece(index, "[", {}))
      assert.throws(() => {
        for (let index = 100; index < 300; index++) shape.push(piece(index, "[", {}))
      })
    })

    it(`are all that is kept, of ${dialect.name}`, () => {
      const shape = shapeOf(dialect)
      for (let index = 0; index < 1_000; index++) shape.push(piece(index, "x", {}))
      ended = 0
      shape.end()
      assert.strictEqual(ended, 0)
    })

    it(`are kept with no more than they need, of ${dialect.name}`, () => {
      const shape = shapeOf(dialect)
      const long = "x".repeat(300_000)
      // In a chat the place is kept alone, which has names.
      const more = dialect === chat ? { [long]: { text: "[" } } : { pad: long }
      assert.throws(() => shape.push(piece(0, "[", more)))
    })
  }

  it("may have names of what all objects have", () => {
    const chunks = restoreChunks(restore as unknown as Restorer)
    const choice = (fields: string) => JSON.parse(`{"choices":[{"index":0,${fields}}]}`) as Fields
    chunks.push(choice('"delta":{"__proto__":{"text":"["},"constructor":{"text":"["}}'))
    const last = chunks.push(choice('"delta":{},"finish_reason":"stop"'))
    assert.strictEqual(
      JSON.stringify(last),
      '{"choices":[{"index":0,"delta":{"__proto__":{"text":"["},"constructor":{"text":"["}},"finish_reason":"stop"}]}'
    )
    assert.notProperty({}, "text")
  })
})

describe("texts of an answer", () => {
  it("are found without a copy of their path for each value", () => {
    const paths = new Set<unknown>()
    const told: string[] = []
    changeTexts({ input: [["a"], ["b", { c: "d" }]] }, (text, _, path) => {
      paths.add(path)
      told.push(path.join(" "))
      return text
    })
    assert.deepEqual(told, ["input 0 0", "input 1 0", "input 1 1 c"])
    assert.strictEqual(paths.size, 1)
  })
})
