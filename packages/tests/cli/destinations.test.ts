/** What the operator sees of deliveries, and sending dead letters again. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { inject } from "vitest"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { openGatewarden } from "../../node/src/instance/openGatewarden.ts"
import { gatewardenHere, keyring } from "./gatewarden.ts"

const key = "test-management-key-0123456789-abcdefghij"

/** A platform that answers with the status of the moment. */
const platform = Effect.acquireRelease(
  Effect.promise(async () => {
    const told = { status: 400 }
    const server = createServer((request, response) => {
      request.resume().on("end", () => void response.writeHead(told.status).end())
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return { told, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` }
  }),
  ({ server }) => Effect.promise(() => new Promise((resolve) => server.close(resolve)))
)

interface Printed {
  readonly destinations: readonly {
    readonly id: string
    readonly workspace: string
    readonly state: string
    readonly name: string
  }[]
  readonly data: readonly { readonly outcome?: string; readonly event_id?: string }[]
  readonly total_count: number
  readonly replayed: number
  readonly remaining: number
  readonly entries: readonly {
    readonly actor: { readonly type: string }
    readonly operation: string
    readonly entity: string
  }[]
}

describe("gatewarden destinations, deliveries, dead-letters and replay", () => {
  it.live("show a platform that refuses everything, and send again what it refused", () =>
    Effect.gen(function* () {
      const DATABASE_URL = yield* Effect.promise(() => createMigratedDatabase(inject("postgres")))
      const environment = { DATABASE_URL, GATEWARDEN_KEYRING: keyring }
      const { told, url } = yield* platform
      const { gatewarden } = yield* Effect.acquireRelease(
        Effect.promise(() =>
          openGatewarden({
            environment: { ...environment, GATEWARDEN_MANAGEMENT_KEY: key, GATEWARDEN_ALLOW_PRIVATE_NETWORKS: "1" },
            background: false
          })
        ),
        ({ close }) => Effect.promise(close)
      )
      const post = async (path: string, body: unknown): Promise<{ readonly data: { readonly id: string } }> => {
        const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
        const request = new Request(`http://localhost/api/v1${path}`, {
          method: "POST",
          headers,
          body: JSON.stringify(body)
        })
        const response = await gatewarden.fetch(request)
        const text = await response.text()
        assert.strictEqual(response.status, 200, text)
        return JSON.parse(text) as { readonly data: { readonly id: string } }
      }
      const command = Effect.fnUntraced(function* (...args: readonly string[]) {
        const { code, stdout, stderr } = yield* gatewardenHere([...args, "--json"], environment)
        assert.strictEqual(code, 0, stderr)
        return JSON.parse(stdout) as Printed
      })
      const state = Effect.map(command("destinations"), ({ destinations }) => destinations[0]?.state)
      // What is written waits for every older transaction of the cluster, those of other tests' databases too.
      const delivered = (expected: string) =>
        Effect.promise(() =>
          eventually(`a destination that is ${expected}`, async () => {
            await gatewarden.runBackground()
            return (await Effect.runPromise(state)) === expected || undefined
          })
        )

      assert.deepStrictEqual((yield* command("destinations")).destinations, [])
      const { data } = yield* Effect.promise(() =>
        post("/observability/destinations", { type: "webhook", name: "Hook", config: { url } })
      )
      assert.strictEqual(yield* state, "ok")
      const event = { model: "acme/sonnet", provider: "acme", prompt_tokens: 1, completion_tokens: 1, cost_usd: "0" }
      const events = ["a", "b", "c"].map((id) => ({ ...event, id, created_at: new Date().toISOString() }))
      yield* Effect.promise(() => post("/gateway/usage-events", { events }))
      assert.strictEqual(yield* state, "waiting")
      yield* delivered("refusing")

      const refused = yield* command("deliveries", data.id, "--outcome", "refused")
      assert.deepStrictEqual([refused.data[0]?.outcome, refused.total_count], ["refused", 1])
      assert.strictEqual((yield* command("deliveries", data.id, "--outcome", "delivered")).total_count, 0)
      const letters = yield* command("dead-letters", data.id, "--limit", "2")
      assert.deepStrictEqual([letters.data.length, letters.total_count], [2, 3])
      const table = yield* gatewardenHere(["dead-letters", data.id, "--limit", "2"], environment)
      assert.match(table.stdout, /^EVENT +DIED +STATUS +MESSAGE\n/)
      assert.include(table.stdout, "The platform answered 400.")
      assert.include(table.stdout, "1 more: --offset 2\n")

      told.status = 200
      assert.deepInclude(yield* command("replay", data.id, "--event", "a", "--event", "none"), {
        replayed: 1,
        remaining: 2
      })
      yield* delivered("ok")
      const until = new Date(Date.now() + 60_000).toISOString()
      assert.deepInclude(yield* command("replay", data.id, "--until", until), { replayed: 2, remaining: 0 })
      const printed = yield* gatewardenHere(["destinations"], environment)
      assert.match(printed.stdout, new RegExp(`^${data.id} +default +webhook +waiting +2 +1 +3 +\\S+Z +Hook$`, "m"))

      const other = yield* Effect.promise(() => post("/workspaces", { name: "Other", slug: "other" }))
      const second = { type: "webhook", name: "Second", workspace_id: other.data.id, config: { url } }
      yield* Effect.promise(() => post("/observability/destinations", second))
      const named = ({ destinations }: Printed) => destinations.map(({ workspace, name }) => [workspace, name])
      assert.sameDeepMembers(named(yield* command("destinations")), [
        ["default", "Hook"],
        ["other", "Second"]
      ])
      assert.deepStrictEqual(named(yield* command("destinations", "--workspace", "other")), [["other", "Second"]])

      const audited = yield* command("audit", "list", "--noun", "destination", "--operation", "replayDeadLetters")
      assert.deepStrictEqual(
        audited.entries.map(({ actor, entity }) => [actor.type, entity]),
        [
          ["operator", data.id],
          ["operator", data.id]
        ]
      )
    })
  )

  it.live("keep to the account that is named", () =>
    Effect.gen(function* () {
      const DATABASE_URL = yield* Effect.promise(() => createMigratedDatabase(inject("postgres")))
      const environment = { DATABASE_URL, GATEWARDEN_KEYRING: keyring }
      const { gatewarden } = yield* Effect.acquireRelease(
        Effect.promise(() =>
          openGatewarden({ environment: { ...environment, GATEWARDEN_MANAGEMENT_KEY: key }, background: false })
        ),
        ({ close }) => Effect.promise(close)
      )
      const made = yield* Effect.promise(async () => {
        const response = await gatewarden.fetch(
          new Request("http://localhost/api/v1/observability/destinations", {
            method: "POST",
            headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
            body: JSON.stringify({ type: "webhook", config: { url: "https://example.com/hook" } })
          })
        )
        return (await response.json()) as { readonly data: { readonly id: string } }
      })
      assert.strictEqual((yield* gatewardenHere(["accounts", "create", "acme"], environment)).code, 0)
      for (const args of [["deliveries"], ["dead-letters"], ["replay", "--event", "a"]]) {
        const [name = "", ...flags] = args
        const { code, stderr } = yield* gatewardenHere([name, made.data.id, ...flags, "--account", "acme"], environment)
        assert.strictEqual(code, 1)
        assert.include(stderr, `There is no destination ${made.data.id} in the account "acme"`)
      }
    })
  )
})
