import type { ChatMessage } from "@gatewarden/contract"
import { assert, describe, it } from "@effect/vitest"
import { systemPrompt, withSystemPrompt } from "../../core/src/preset/systemPrompt.ts"

const system = (content: string): ChatMessage => ({ role: "system", content })
const user: ChatMessage = { role: "user", content: "Hello" }

describe("systemPrompt", () => {
  const cases: readonly (readonly [name: string, messages: readonly ChatMessage[], expected: string])[] = [
    ["no instructions", [user, { role: "assistant" }, { role: "tool", content: "x" }], ""],
    ["one", [system("a"), user], "a"],
    ["several, in order", [{ role: "developer", content: "a" }, user, system("b")], "a\n\nb"],
    [
      "parts",
      [
        {
          role: "system",
          content: [
            { type: "text", text: "a" },
            { type: "file", text: "no" },
            { type: "text", text: "b" }
          ]
        },
        { role: "developer", content: [] },
        system("c")
      ],
      "a\nb\n\n\n\nc"
    ]
  ]
  for (const [name, messages, expected] of cases) it(name, () => assert.strictEqual(systemPrompt(messages), expected))
})

describe("withSystemPrompt", () => {
  it("puts the preset's instructions first", () => {
    assert.deepEqual(withSystemPrompt([user], "a"), [system("a"), user])
  })
  it("leaves a conversation alone that has its own, or when there are none", () => {
    const own: readonly ChatMessage[] = [user, { role: "developer", content: "b" }]
    assert.strictEqual(withSystemPrompt(own, "a"), own)
    assert.deepEqual(withSystemPrompt([user], ""), [user])
  })
})
