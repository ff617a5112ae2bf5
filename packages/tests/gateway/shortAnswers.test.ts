/** The reference gateway. What the values of short answers take in memory is counted, too: many of them may be in work at once. */
import { assert, describe, it } from "@effect/vitest"
import { defaultBodyLimits } from "@gatewarden/core/effect"
import { answerRooms, NoRoom, type Room } from "../../../examples/gateway/src/AnswerRoom.ts"
import { chat } from "../../../examples/gateway/src/dialects/chat.ts"
import { embeddings } from "../../../examples/gateway/src/dialects/embeddings.ts"
import { readEvents } from "../../../examples/gateway/src/readEvents.ts"
import { openAnswer } from "./openAnswer.ts"

/** Many values in few bytes. */
const extra = Array.from({ length: 10_000 }, () => ({}))
const choices = [{ index: 0, message: { role: "assistant", content: "a" }, finish_reason: "stop" }]

/** Opens an answer and reads what is kept of it, without passing it on; the room stays taken. */
const keeps = async (room: Room, dialect: typeof chat, body: object, answer: string) => {
  const opened = await openAnswer(room, dialect, { ...body }, answer)
  if (opened.kind !== "list") return opened.kind === "failed" ? opened.no_room : "kept"
  for await (const _ of opened.list.entries);
  return opened.list.rest().then(
    () => "kept",
    (cause) => cause instanceof NoRoom
  )
}

describe("values of events whose streams stay open", () => {
  it("take no more than the share of their account", async () => {
    const limits = { ...defaultBodyLimits, answers: { process: 100_000_000, key: 100_000_000 } }
    const rooms = answerRooms(limits, { heap: 1_000_000_000, waitMillis: 0 })
    const event = Buffer.from(`data: ${JSON.stringify(Array.from({ length: 29_000 }, () => 1_111))}\n\n`)
    const opens = async (key: string, account_id: string) => {
      const pieces = async function* () {
        yield event.subarray(0, -1)
        yield event.subarray(-1)
      }
      const room = rooms.room(async () => ({ key, account_id }))
      const opened = readEvents(pieces(), room).next()
      return opened.then(
        () => "kept",
        (cause) => cause instanceof NoRoom
      )
    }
    // All of them have room for the bytes of theirs, and not for what these take once they are read.
    const outcomes = await Promise.all(Array.from({ length: 40 }, (_, index) => opens(`key ${index}`, "acme")))
    assert.include(outcomes, "kept")
    assert.include(outcomes, true)
    assert.strictEqual(await opens("another", "other"), "kept")
  })
})

describe("values of a short answer are counted", () => {
  for (const [what, dialect, body, answer] of [
    ["that is whole", chat, {}, JSON.stringify({ choices, extra })],
    ["that is an event of a stream", chat, { stream: true }, `data: ${JSON.stringify({ choices, extra })}\n\n`],
    ["that is a list", embeddings, {}, JSON.stringify({ data: [], extra })],
    ["that is beside a long list", embeddings, {}, JSON.stringify({ data: ["x".repeat(70_000)], extra })]
  ] as const)
    it(what, async () => {
      const limits = { ...defaultBodyLimits, answers: { process: 100_000_000, key: 1_500_000 } }
      const rooms = answerRooms(limits, { heap: 1_000_000_000, waitMillis: 0 })
      const room = () => rooms.room(async () => ({ key: "one", account_id: "acme" }))
      const first = room()
      assert.strictEqual(await keeps(first, dialect, body, answer), "kept")
      assert.strictEqual(await keeps(room(), dialect, body, answer), true)
      first.keep(0)
      assert.strictEqual(await keeps(room(), dialect, body, answer), "kept")
    })
})
