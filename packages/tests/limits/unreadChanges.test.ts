/** Answers of changes that nobody reads refuse the next change before its work. Rule: requests#answers-in-flight. */
import { createGatewarden, memory } from "@gatewarden/core"
import { assert, it } from "@effect/vitest"

const managementKey = "unread-changes-management-key-0123456789"

it(
  "a client that reads no answer of its changes is refused the next one, and nothing is changed",
  { tags: ["deep"] },
  async () => {
    const gatewarden = await createGatewarden({ store: memory(), managementKey })
    try {
      const send = (method: string, path: string, body?: object) =>
        gatewarden.fetch(
          new Request(`http://localhost/api/v1${path}`, {
            method,
            headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
            ...(body === undefined ? {} : { body: JSON.stringify(body) })
          })
        )
      const content_filters = Array.from({ length: 90 }, () => ({ pattern: "x".repeat(9_960), action: "block" }))
      const made = await (await send("POST", "/guardrails", { name: "0", content_filters })).json()
      const path = `/guardrails/${(made as { data: { id: string } }).data.id}`
      const nameNow = async () => {
        const answer = (await (await send("GET", path)).json()) as { data: { name: string } }
        return answer.data.name
      }
      const unread: Response[] = []
      let refused: Response | undefined
      // A key has 8 MiB.
      for (let count = 1; count < 25 && refused === undefined; count++) {
        const answer = await send("PATCH", path, { name: String(count) })
        if (answer.status === 200) unread.push(answer)
        else refused = answer
      }
      if (refused === undefined) return assert.fail("no change is refused")
      assert.strictEqual(refused.status, 503)
      const { error } = (await refused.json()) as { error: { metadata: { reason: string } } }
      assert.strictEqual(error.metadata.reason, "answers_in_flight")
      assert.strictEqual(await nameNow(), String(unread.length))
      assert.strictEqual((await send("POST", "/guardrails", { name: "another" })).status, 503)
      for (const answer of unread) await answer.arrayBuffer()
      assert.strictEqual((await send("PATCH", path, { name: "read" })).status, 200)
    } finally {
      await gatewarden.close()
    }
  }
)
