/** The reference gateway. What a provider answers has an end in every direction: while it is read and written, everybody else waits. */
import { assert, describe, it } from "@effect/vitest"
import { defaultBodyLimits } from "@gatewarden/core/effect"
import { answerRooms } from "../../../examples/gateway/src/AnswerRoom.ts"
import { chat } from "../../../examples/gateway/src/dialects/chat.ts"
import type { Dialect, Fields } from "../../../examples/gateway/src/dialects/Dialect.ts"
import { embeddings } from "../../../examples/gateway/src/dialects/embeddings.ts"
import { messages } from "../../../examples/gateway/src/dialects/messages.ts"
import { responses } from "../../../examples/gateway/src/dialects/responses.ts"
import { openAnswer } from "./openAnswer.ts"

const open = (dialect: Dialect, body: Fields, answer: string) =>
  openAnswer(
    answerRooms(defaultBodyLimits, { heap: 4_000_000_000 }).room(async () => ({ key: "k", account_id: "a" })),
    ...([dialect, body, answer] as const)
  )

/** Without its last brace. Brackets and commas in texts are none. */
const many = (values: number) => `{"text":"\\"${"[,".repeat(60_000)}","extra":[${"0,".repeat(values - 5)}0]`
/** Colons in texts are none, and each object has its own members. */
const members = (most: number) => {
  const wide = Array.from({ length: most - 1 }, (_, index) => `"${index}":0`).join()
  return `{"pad":"${":".repeat(6_000)}","first":{"a":0},"extra":{"first":{"a":0},${wide}}`
}
const deep = (levels: number) =>
  `{"pad":"${" ".repeat(5_000)}","extra":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}`

/** Whether an answer is taken; otherwise it counts as one that broke off. */
const isTaken = async (dialect: Dialect, list: string, begin: string, entries = ""): Promise<boolean> => {
  const opened = await open(dialect, {}, `${begin},"${list}":[${entries}]}`)
  if (opened.kind === "failed") assert.isTrue(opened.given_up)
  if (opened.kind !== "list") return opened.kind === "complete"
  for await (const _ of opened.list.entries);
  return opened.list.rest().then(
    (rest) => rest !== undefined,
    () => false
  )
}

const streaming = [
  [chat, "choices"],
  [responses, "output"],
  [messages, "content"]
] as const

describe("a whole answer", () => {
  for (const [dialect, list] of streaming)
    it(`of ${dialect.name} has at most 200,000 values`, async () => {
      assert.isTrue(await isTaken(dialect, list, many(199_990)))
      assert.isFalse(await isTaken(dialect, list, many(200_010)))
    })

  for (const [dialect, list] of [...streaming, [embeddings, "data"] as const])
    it(`of ${dialect.name} has objects of at most 5,000 members`, async () => {
      assert.isTrue(await isTaken(dialect, list, members(5_000)))
      assert.isFalse(await isTaken(dialect, list, members(5_001)))
    })

  for (const [dialect, list] of [...streaming, [embeddings, "data"] as const])
    it(`of ${dialect.name} has at most 64 levels`, async () => {
      assert.isTrue(await isTaken(dialect, list, deep(64)))
      assert.isFalse(await isTaken(dialect, list, deep(65)))
    })

  it("with a long list has at most 64 levels beside it", async () => {
    const entries = `"${"x".repeat(70_000)}"`
    assert.isTrue(await isTaken(embeddings, "data", deep(64), entries))
    assert.isFalse(await isTaken(embeddings, "data", deep(65), entries))
  })
})

describe("an event of a stream", () => {
  /** Whether the second event arrives. */
  const arrives = async (dialect: Dialect, event: string): Promise<boolean> => {
    const opened = await open(dialect, { stream: true }, `data: {"type":"ping"}\n\ndata: ${event}}\n\n`)
    if (opened.kind !== "stream") return assert.fail(opened.kind)
    await opened.events.next()
    return opened.events.next().then(
      ({ done }) => done !== true,
      () => false
    )
  }

  for (const [dialect] of streaming)
    it(`of ${dialect.name} has at most 30,000 values and 64 levels, or breaks the stream off`, async () => {
      assert.isTrue(await arrives(dialect, many(29_990)))
      assert.isFalse(await arrives(dialect, many(30_010)))
      assert.isTrue(await arrives(dialect, deep(64)))
      assert.isFalse(await arrives(dialect, deep(65)))
    })

  it("that is the first is an attempt that broke off", async () => {
    const opened = await open(chat, { stream: true }, `data: ${many(30_010)}}\n\n`)
    assert.deepInclude(opened, { kind: "failed", given_up: true })
  })
})
