import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { redacting, said, scan, user } from "./scanned.ts"

const value = fc.constantFrom("jane@example.com", "123-45-6789", "4111 1111 1111 1111", "10.1.2.3", "joe@x.org")
const filler = fc.stringMatching(/^[ a-z,;()é😀"\\]{1,12}$/u).map((text) => ` ${text} `)
const everything = [redacting("email", "ssn", "credit-card", "ip-address")]
const pieces = fc.array(fc.oneof(value, filler), { maxLength: 12 }).map((list) => list.flatMap((one) => [one, ", "]))
const redacted = async (text: string) => (await scan(everything, said(user(text)))).messages[0]?.content
const secret = /@|\d{3}-\d\d|4111|10\.1/

describe("redaction", () => {
  it("leaves no part of a number that other digits seem to belong to", async () => {
    assert.strictEqual(await redacted("123-45-6789 4111 1111 1111 1111."), "[SSN].")
  })

  it("leaks nothing, keeps the rest, and finds nothing when done again", () =>
    fc.assert(
      fc.asyncProperty(pieces, async (parts) => {
        const values = new Map([
          ["jane@example.com", "[EMAIL]"],
          ["joe@x.org", "[EMAIL]"],
          ["123-45-6789", "[SSN]"],
          ["4111 1111 1111 1111", "[CARD]"],
          ["10.1.2.3", "[IP_ADDRESS]"]
        ])
        const once = await redacted(parts.join(""))
        assert.strictEqual(once, parts.map((part) => values.get(part) ?? part).join(""))
        assert.strictEqual(await redacted(String(once)), once)
      }),
      { numRuns: 300 }
    ))

  it("keeps the arguments of tool calls valid, and what is not found in them as it was", () =>
    fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          fc.string(),
          fc.oneof(
            pieces.map((parts) => parts.join("")),
            fc.jsonValue()
          )
        ),
        fc.constantFrom(0, 2),
        async (object, indent) => {
          const json = JSON.stringify(object, null, indent)
          const call = { id: "1", type: "function", function: { name: "f", arguments: json } }
          const { messages, findings } = await scan(everything, said({ role: "assistant", tool_calls: [call] }))
          const [message] = messages as unknown as readonly { tool_calls: readonly (typeof call)[] }[]
          const after = message?.tool_calls[0]?.function.arguments ?? ""
          if (findings.length === 0) assert.strictEqual(after, json)
          assert.lengthOf(Object.keys(JSON.parse(after) as object), Object.keys(JSON.parse(json) as object).length)
        }
      ),
      { numRuns: 300 }
    ))

  it("is undone in a whole text and in a stream cut anywhere", () =>
    fc.assert(
      fc.asyncProperty(
        pieces,
        fc.array(fc.constantFrom("[EMAIL_1]", "[EMAIL_2]", "[SSN_1]", "[EMAIL", "_1]", "["), { maxLength: 3 }),
        fc.array(fc.nat({ max: 6 }), { minLength: 1 }),
        fc.boolean(),
        async (parts, written, cuts, json) => {
          const text = [...parts, ...written].join("")
          const { messages, restore } = await scan(everything, said(user(text)), {}, true)
          const sent = String(messages[0]?.content)
          assert.notMatch(sent, secret)
          const whole = restore?.text(sent, { json }) ?? sent
          assert.strictEqual(whole, text)
          const stream = restore?.stream({ json })
          if (stream === undefined) return
          let streamed = ""
          let at = 0
          for (let index = 0; at < sent.length; index++) {
            const size = cuts[index % cuts.length] || 1
            streamed += stream.push(sent.slice(at, at + size))
            at += size
          }
          assert.strictEqual(streamed + stream.end(), whole)
          assert.notMatch(JSON.stringify(restore), secret)
        }
      ),
      { numRuns: 500 }
    ))
})
