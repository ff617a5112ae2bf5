/** Whose events are: of a gateway key, in whose account each belongs; of another account's management key, what nobody else sees. */
import { assert } from "@effect/vitest"
import type { Answer, World } from "../../World.ts"
import { type Case, reasonIs } from "../../http/Case.ts"
import { counted, event, line, shown } from "./scene.ts"

const send = (world: World, events: readonly object[], key = world.gatewayKey): Promise<Answer> =>
  world.call("recordUsageEvents", { body: { events: events.map((fields) => ({ ...event, ...fields })) }, key })

const countOf = async (world: World): Promise<unknown> => (await shown(world, ["request_count"]))[0]

const refusedFor = (name: string, reason: string, fields: (world: World, other: World) => object): Case => ({
  name,
  status: 400,
  run: async (world) => send(world, [{ id: "good", account_id: world.account_id }, fields(world, await world.other())]),
  check: async (answer, world) => {
    reasonIs(reason)(answer)
    assert.strictEqual(answer.json.error.metadata.issues[0].path, "events.1.account_id")
    // All or nothing.
    assert.deepEqual(await countOf(world), { request_count: 0 })
  }
})

/** A member's guardrail with a budget, and what is left of it is seen in an explanation. */
const withMember = async (world: World): Promise<void> => {
  await world.call("addWorkspaceMembers", { params: { id: world.workspace_id }, body: { user_ids: ["user-1"] } })
  const made = await world.call("createGuardrail", {
    body: { name: "Member", limit_usd: 10, reset_interval: "daily" }
  })
  const { id } = made.json.data
  await world.call("assignMembers", { params: { id }, body: { member_user_ids: ["user-1"] } })
}

const memberSpent = async (world: World): Promise<string | undefined> => {
  const { json } = await world.call("createExplanation", {
    body: { api_key_hash: world.normalKeyHash, model: "acme/none" }
  })
  return json.data.budgets.find(({ scope }: { readonly scope: string }) => scope === "member")?.spent_usd
}

export const accounts: readonly Case[] = [
  {
    name: "with a gateway key each event is of its key's account, in one request",
    status: 200,
    run: async (world) => {
      const other = await world.other()
      const answer = await send(world, [
        { id: "a", api_key_hash: world.normalKeyHash },
        { id: "a", api_key_hash: other.normalKeyHash },
        { id: "b", api_key_hash: other.normalKeyHash, account_id: other.account_id },
        { id: "b", account_id: world.account_id, api_key_hash: "of nobody" },
        { id: "a", account_id: world.account_id }
      ])
      for (const each of [world, other]) assert.deepEqual(await countOf(each), { request_count: 2 })
      return answer
    },
    check: counted(4, 1)
  },
  {
    name: "with a gateway key, many lines of several accounts",
    status: 200,
    run: async (world) => {
      const other = await world.other()
      const of = (each: World) =>
        Array.from({ length: 1500 }, (_, at) => line({ id: `n-${at}`, api_key_hash: each.normalKeyHash }))
      const answer = await world.call("recordUsageEvents", {
        body: [...of(world), ...of(other), ...of(world)].join(""),
        headers: { "content-type": "application/x-ndjson" },
        key: world.gatewayKey
      })
      for (const each of [world, other]) assert.deepEqual(await countOf(each), { request_count: 1500 })
      return answer
    },
    check: counted(3000, 1500)
  },
  {
    name: "a repetition with a gateway key is a duplicate in its account alone",
    status: 200,
    run: async (world) => {
      const other = await world.other()
      await send(world, [{ id: "a", account_id: world.account_id }])
      // The second is refused by itself, were it new: its workspace is nobody's.
      return send(world, [
        { id: "a", account_id: world.account_id, workspace_id: crypto.randomUUID() },
        { id: "a", account_id: other.account_id }
      ])
    },
    check: counted(1, 1)
  },
  refusedFor("a gateway key's event without key or account", "account_required", () => ({ id: "x" })),
  refusedFor("a gateway key's event of a key nobody made", "account_required", () => ({
    id: "x",
    api_key_hash: "0".repeat(64)
  })),
  refusedFor("an account that does not exist", "unknown_account", () => ({ id: "x", account_id: crypto.randomUUID() })),
  refusedFor("a key of another account than the named one", "unknown_account", (world, other) => ({
    id: "x",
    api_key_hash: other.normalKeyHash,
    account_id: world.account_id
  })),
  {
    name: "a management key that names another account",
    status: 400,
    run: async (world) => {
      const other = await world.other()
      const answer = await send(world, [{ account_id: other.account_id }], world.managementKey)
      assert.deepEqual(await countOf(other), { request_count: 0 })
      return answer
    },
    check: reasonIs("unknown_account")
  },
  {
    name: "a management key that names its own account",
    status: 200,
    run: (world) => send(world, [{ account_id: world.account_id }], world.managementKey),
    check: counted(1, 0)
  },
  {
    name: "the external user is the key's, unless the event names one",
    status: 200,
    run: async (world) => {
      const made = await world.call("createKey", { body: { name: "partner", external: { user: "customer-7" } } })
      const api_key_hash = made.json.data.hash
      await send(world, [{ id: "json", api_key_hash, cost_usd: "1" }], world.managementKey)
      await world.call("recordUsageEvents", {
        body: line({ id: "line", api_key_hash, cost_usd: "2", external_user: null }),
        headers: { "content-type": "application/x-ndjson" }
      })
      await send(world, [{ id: "gateway", api_key_hash, cost_usd: "4" }])
      await send(world, [{ id: "other", api_key_hash: world.normalKeyHash, cost_usd: "16" }])
      return send(world, [{ id: "named", api_key_hash, external_user: "customer-8", cost_usd: "8" }])
    },
    check: async (_, world) => {
      const rows = await shown(world, ["credits_usage"], ["external_user"])
      assert.sameDeepMembers(rows, [
        { external_user: null, credits_usage: 16 },
        { external_user: "customer-8", credits_usage: 8 },
        { external_user: "customer-7", credits_usage: 7 }
      ])
    }
  },
  {
    name: "the user is the key's, whose budget is charged, unless the event names one",
    status: 200,
    run: async (world) => {
      await withMember(world)
      await send(world, [{ id: "json", api_key_hash: world.normalKeyHash, cost_usd: "1" }], world.managementKey)
      await world.call("recordUsageEvents", {
        body: line({ id: "line", api_key_hash: world.normalKeyHash, cost_usd: "2", user_id: null }),
        headers: { "content-type": "application/x-ndjson" }
      })
      await send(world, [{ id: "gateway", api_key_hash: world.normalKeyHash, cost_usd: "4" }])
      return send(world, [{ id: "named", api_key_hash: world.normalKeyHash, user_id: "user-2", cost_usd: "8" }])
    },
    check: async (_, world) => {
      const rows = await shown(world, ["credits_usage"], ["user"])
      assert.deepEqual(rows, [
        { user: "user-2", credits_usage: 8 },
        { user: "user-1", credits_usage: 7 }
      ])
      assert.strictEqual(await memberSpent(world), "7")
    }
  }
]
