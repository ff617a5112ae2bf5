/** The reference gateway over PostgreSQL, which cannot store every text: what an upstream or a client says must not stop a settlement. */
import { assert, describe, it } from "@effect/vitest"
import { postgres } from "@gatewarden/postgres"
import { inject } from "vitest"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { completes, json } from "@gatewarden/testkit/upstream/chatUpstream"
import { gatewayUnderTest, usage } from "./gatewayUnderTest.ts"

const { ask, budgetOf, newKey, recorded, upstream } = gatewayUnderTest(undefined, async () =>
  postgres({ url: await createMigratedDatabase(inject("postgres")) })
)

describe("a request whose texts no store can keep", () => {
  it("is charged whatever an upstream calls the end of its answer", async () => {
    for (const [finish_reason, stored] of [
      ["st\0op", "stop"],
      ["\ud800", "\ufffd"],
      [`${"x".repeat(255)}\u{1f600}`, `${"x".repeat(255)}\ufffd`]
    ] as const) {
      const key = await newKey()
      upstream.plays("openai", (_, response) =>
        json(response, 200, { choices: [{ index: 0, message: { content: "hi" }, finish_reason }], usage })
      )
      assert.strictEqual((await ask(key.key)).status, 200)
      assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
      assert.deepInclude(await recorded("finish_reason"), [stored, 1, 10])
    }
  })

  it("is refused before anything is bought where its client calls itself so", async () => {
    upstream.plays("openai", completes("hi", usage))
    for (const fields of [
      { user: "\ud800" },
      { session_id: "\udc00x" },
      { user: "\0" },
      { trace: { trace_name: "\ud800" } },
      { trace: { "\ud800": 1 } }
    ])
      assert.strictEqual((await ask((await newKey()).key, fields)).status, 400, JSON.stringify(fields))
    assert.deepEqual(upstream.calls(), [])
  })
})
