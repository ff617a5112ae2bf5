/** Bodies of every API as the messages of the conventions, held to the published JSON schemas. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as z from "zod"
import { inputMessages, outputMessages } from "../../../core/src/delivery/rendering/messages.ts"

/**
 * After docs/gen-ai/gen-ai-input-messages.json and gen-ai-output-messages.json of OpenTelemetry's semantic conventions: a part of a known
 * type has that type's fields, any other has a type.
 */
const known = ["text", "tool_call", "tool_call_response", "reasoning"]
const part = z.union([
  z.looseObject({ type: z.literal("text"), content: z.string() }),
  z.looseObject({ type: z.literal("reasoning"), content: z.string() }),
  z.looseObject({ type: z.literal("tool_call"), id: z.string().nullable(), name: z.string(), arguments: z.unknown() }),
  z.looseObject({ type: z.literal("tool_call_response"), id: z.string().nullable(), response: z.unknown() }),
  z.looseObject({ type: z.string().refine((type) => !known.includes(type)) })
])
const message = z.strictObject({ role: z.string(), parts: z.array(part) })
const inputSchema = z.array(message)
const outputSchema = z.array(z.strictObject({ ...message.shape, finish_reason: z.string() }))

const text = (content: string) => ({ type: "text", content })

describe("inputMessages", () => {
  for (const [what, input, expected] of [
    ["a text", "Hi", [{ role: "user", parts: [text("Hi")] }]],
    ["a list of messages", [{ role: "user", content: "Hi" }], [{ role: "user", parts: [text("Hi")] }]],
    [
      "a chat completion",
      {
        messages: [
          { role: "system", content: "Be brief." },
          {
            role: "user",
            content: [
              { type: "text", text: "a" },
              { type: "image_url", image_url: { url: "x" } }
            ]
          },
          {
            role: "assistant",
            content: null,
            tool_calls: [{ id: "c", function: { name: "f", arguments: '{"a":1}' } }]
          },
          { role: "tool", tool_call_id: "c", content: "42" }
        ]
      },
      [
        { role: "system", parts: [text("Be brief.")] },
        { role: "user", parts: [text("a"), { type: "image_url", image_url: { url: "x" } }] },
        { role: "assistant", parts: [{ type: "tool_call", id: "c", name: "f", arguments: { a: 1 } }] },
        { role: "tool", parts: [{ type: "tool_call_response", id: "c", response: "42" }] }
      ]
    ],
    [
      "Messages",
      {
        system: [{ type: "text", text: "S" }],
        messages: [
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "hm" },
              { type: "tool_use", id: "t", name: "f", input: {} }
            ]
          },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "ok" }] }
        ]
      },
      [
        { role: "system", parts: [text("S")] },
        {
          role: "assistant",
          parts: [
            { type: "reasoning", content: "hm" },
            { type: "tool_call", id: "t", name: "f", arguments: {} }
          ]
        },
        { role: "user", parts: [{ type: "tool_call_response", id: "t", response: "ok" }] }
      ]
    ],
    [
      "Responses",
      {
        instructions: "S",
        input: [
          { type: "message", role: "user", content: [{ type: "input_text", text: "Hi" }] },
          { type: "function_call", call_id: "c", name: "f", arguments: "not JSON" },
          { type: "function_call_output", call_id: "c", output: "ok" }
        ]
      },
      [
        { role: "system", parts: [text("S")] },
        { role: "user", parts: [text("Hi")] },
        { role: "user", parts: [{ type: "tool_call", id: "c", name: "f", arguments: "not JSON" }] },
        { role: "tool", parts: [{ type: "tool_call_response", id: "c", response: "ok" }] }
      ]
    ],
    [
      "a completion",
      { prompt: ["a", "b"] },
      [
        { role: "user", parts: [text("a")] },
        { role: "user", parts: [text("b")] }
      ]
    ],
    ["anything else", { query: 1 }, [{ role: "user", parts: [text('{"query":1}')] }]],
    ["a number", 7, [{ role: "user", parts: [text("7")] }]],
    ["nothing", undefined, undefined],
    ["null", null, undefined]
  ] as const)
    it(`reads ${what}`, () => assert.deepEqual(inputMessages(input) as unknown, expected as unknown))
})

describe("outputMessages", () => {
  for (const [what, output, expected] of [
    [
      "choices",
      {
        choices: [
          { finish_reason: "length", message: { role: "assistant", content: "a", reasoning: "hm" } },
          { message: { role: "assistant", content: "b" } }
        ]
      },
      [
        { role: "assistant", parts: [{ type: "reasoning", content: "hm" }, text("a")], finish_reason: "length" },
        { role: "assistant", parts: [text("b")], finish_reason: "end" }
      ]
    ],
    [
      "texts",
      { choices: [{ text: "a", finish_reason: "stop" }] },
      [{ role: "assistant", parts: [text("a")], finish_reason: "stop" }]
    ],
    [
      "a message of Messages",
      { role: "assistant", content: [{ type: "text", text: "a" }], stop_reason: "end_turn" },
      [{ role: "assistant", parts: [text("a")], finish_reason: "end_turn" }]
    ],
    [
      "Responses",
      { output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "a" }] }] },
      [{ role: "assistant", parts: [text("a")], finish_reason: "end" }]
    ],
    ["a text", "a", [{ role: "assistant", parts: [text("a")], finish_reason: "end" }]],
    ["nothing", undefined, undefined]
  ] as const)
    it(`reads ${what}`, () => assert.deepEqual(outputMessages(output, "end") as unknown, expected as unknown))
})

it("any body becomes messages of the published schemas", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (body) => {
      inputSchema.optional().parse(JSON.parse(JSON.stringify(inputMessages(body) ?? null)) ?? undefined)
      outputSchema.optional().parse(JSON.parse(JSON.stringify(outputMessages(body, "unknown") ?? null)) ?? undefined)
    })
  )
})
