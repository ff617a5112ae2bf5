/** Bodies: lines instead of JSON, sizes, types. */
import { assert } from "@effect/vitest"
import type { Case } from "../../http/Case.ts"
import { counted, leavesNothing, line, lines, record, shown } from "./scene.ts"

export const bodies: readonly Case[] = [
  {
    name: "lines",
    status: 200,
    run: (world) =>
      lines(world, `${line()}\n \r\n${line({ id: "event-2" }).trim()}\r\n${line({ id: "event-3" }).trim()}`),
    check: async (answer, world) => {
      await counted(3, 0)(answer, world)
      assert.deepEqual(await shown(world, ["request_count"]), [{ request_count: 3 }])
    }
  },
  {
    name: "half of a surrogate pair or U+0000 in one body, which becomes U+FFFD and refuses no other event",
    status: 200,
    run: async (world) => {
      const cut = (id: string) => line({ id, input: "cut \ud83d\0", session_id: "\ud83d\ude00 \udc00" })
      await lines(world, line({ id: "event-2" }) + cut("event-3"))
      return world.call("recordUsageEvents", {
        body: `{"events":[${line().trim()},${cut("event-4").trim()}]}`,
        headers: { "content-type": "application/json" }
      })
    },
    check: async (answer, world) => {
      await counted(2, 0)(answer, world)
      assert.deepEqual(await shown(world, ["request_count"]), [{ request_count: 4 }])
      const { text } = await world.call("exportUsageEvents", { query: { session_id: "\u{1f600} \ufffd" } })
      assert.strictEqual(text.trim().split("\n").length, 2)
    }
  },
  { name: "no lines", status: 200, run: (world) => lines(world, ""), check: counted(0, 0) },
  {
    name: "more lines than a JSON body may hold events, the first of each id counting",
    status: 200,
    run: (world) =>
      lines(
        world,
        Array.from({ length: 10_500 }, (_, index) => line({ id: `e${index % 10_200}`, prompt_tokens: index })).join("")
      ),
    check: async (answer, world) => {
      await counted(10_200, 300)(answer, world)
      assert.deepEqual(await shown(world, ["request_count", "tokens_prompt"]), [
        { request_count: 10_200, tokens_prompt: (10_200 * 10_199) / 2 }
      ])
    }
  },
  {
    name: "a bad line after thousands",
    status: 400,
    run: (world) =>
      lines(
        world,
        `${Array.from({ length: 2500 }, (_, index) => line({ id: `e${index}` })).join("")}${line({ cost_usd: -1 })}`
      ),
    check: async (answer, world) => {
      assert.strictEqual(answer.json.error.metadata.issues[0].path, "lines.2500.cost_usd")
      await leavesNothing(answer, world)
    }
  },
  {
    name: "a line that is no JSON",
    status: 400,
    run: (world) => lines(world, `${line()}{"id"`),
    check: async (answer, world) => {
      assert.strictEqual(answer.json.error.metadata.reason, "invalid_json")
      await leavesNothing(answer, world)
    }
  },
  {
    name: "a line that is no object",
    status: 400,
    run: (world) => lines(world, "[]"),
    check: ({ json }) => assert.strictEqual(json.error.metadata.issues[0].path, "lines.0")
  },
  {
    name: "a line from the future",
    status: 400,
    run: (world) => lines(world, line() + line({ id: "event-2", created_at: "2999-01-01T00:00:00Z" })),
    check: ({ json }) => assert.strictEqual(json.error.metadata.issues[0].path, "lines.1.created_at")
  },
  {
    name: "a line of more than 1 MiB",
    status: 413,
    run: (world) => lines(world, line({ input: "x".repeat(1_048_576) }))
  },
  {
    name: "a line of 1 MiB, and one byte more, whether or not the body goes on behind it",
    status: 413,
    run: async (world) => {
      const sized = (bytes: number) => {
        const shortest = line({ input: "" }).trim().length
        return line({ input: "x".repeat(bytes - shortest) }).trim()
      }
      for (const end of ["\n", ""]) assert.strictEqual((await lines(world, `${sized(1_048_576)}${end}`)).status, 200)
      assert.strictEqual((await lines(world, `${sized(1_048_577)}\n`)).status, 413)
      return lines(world, sized(1_048_577))
    }
  },
  {
    name: "bodies larger than an ordinary request",
    status: 200,
    run: (world) => record(world, { input: "x".repeat(2_000_000) }),
    check: counted(1, 0)
  },
  {
    name: "text",
    status: 415,
    run: (world) => world.call("recordUsageEvents", { body: "x", headers: { "content-type": "text/plain" } })
  }
]
