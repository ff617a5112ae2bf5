/** Deletions that meet other writes half-way and would wait for each other: both end, each as if it had been alone. */
import {
  ApiKeys,
  Assignments,
  Guardrails,
  type StorePorts,
  unrestricted,
  Workspaces,
  createAccount,
  newApiKey
} from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { inject } from "vitest"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { openConnection } from "@gatewarden/testkit/stores/openConnection"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { layerPostgresStore } from "../../postgres/src/internal.ts"

const at = (second: number) => `2026-03-04T12:00:0${second}.000Z`

/** Two guardrails and two keys, by hash; the first guardrail was given to the second key before the first. */
const prepare = Effect.gen(function* () {
  const made = yield* createAccount("account")
  if (made === undefined) return yield* Effect.die(new Error("account exists"))
  const [account_id, workspace_id] = [made.account.id, made.workspace.id]
  const ports = { guardrails: yield* Guardrails, assignments: yield* Assignments, workspaces: yield* Workspaces }
  const keys = yield* ApiKeys
  const ids = [crypto.randomUUID(), crypto.randomUUID()] as const
  for (const id of ids)
    yield* ports.guardrails.insert(account_id, {
      ...unrestricted,
      id,
      workspace_id,
      name: "any",
      created_at: at(0),
      updated_at: null
    })
  const issued = yield* Effect.forEach(["one", "two"], (name) =>
    newApiKey({ kind: "normal", account_id, workspace_id, user_id: null, name })
  )
  for (const { record } of issued) yield* keys.insert(record)
  const hashes = issued.map(({ record }) => record.hash).sort()
  const assign = (guardrail_id: string, names: readonly string[], second: number) =>
    ports.assignments.assignKeys(
      account_id,
      guardrail_id,
      names.map((name) => ({ id: crypto.randomUUID(), name })),
      { assigned_by: null, now: at(second) }
    )
  for (const [second, hash] of hashes.toReversed().entries()) yield* assign(ids[0], [hash], second)
  return { ...ports, account_id, workspace_id, ids, hashes, assign }
})

type Prepared = Effect.Success<typeof prepare>

/** Begins both while `held` is locked, lets go once both wait, and answers what they did. */
const crossing = async <A, B>(
  held: string,
  first: (world: Prepared) => Effect.Effect<A>,
  second: (world: Prepared) => Effect.Effect<B>
): Promise<readonly [A, B, Prepared, string]> => {
  const url = await createMigratedDatabase(inject("postgres"))
  const waiting = (count: number) =>
    Effect.promise(() =>
      eventually(`${count} to wait`, async () => {
        const rows = await execute(
          url,
          "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
        )
        return rows.length === count ? true : undefined
      })
    )
  const work: Effect.Effect<readonly [A, B, Prepared, string], unknown, StorePorts> = Effect.gen(function* () {
    const world = yield* prepare
    const blocker = yield* Effect.promise(() => openConnection(url))
    yield* Effect.promise(() => blocker.query("begin"))
    yield* Effect.promise(() => blocker.query(held))
    const one = yield* Effect.forkChild(first(world))
    yield* waiting(1)
    const other = yield* Effect.forkChild(second(world))
    yield* waiting(2)
    yield* Effect.promise(() => blocker.query("rollback"))
    yield* Effect.promise(blocker.close)
    return [yield* Fiber.join(one), yield* Fiber.join(other), world, url] as const
  })
  return Effect.runPromise(Effect.scoped(Effect.provide(work, layerPostgresStore({ url: Redacted.make(url) }))))
}

const assigned = (url: string) => execute(url, "select key_hash, guardrail_id from gatewarden_guardrail_key order by 1")

describe("deletions that cross other writes", () => {
  it("a guardrail goes while its keys are given to another", async () => {
    const [removed, outcome, { ids, hashes }, url] = await crossing(
      "select from gatewarden_guardrail_key where key_hash = (select max(key_hash) from gatewarden_guardrail_key) for update",
      ({ guardrails, account_id, ids }) => guardrails.remove(account_id, ids[0]),
      ({ assign, ids, hashes }) => assign(ids[1], hashes, 3)
    )
    assert.deepStrictEqual([removed, outcome], ["removed", "assigned"])
    assert.deepEqual(
      (await assigned(url)).map(({ key_hash, guardrail_id }) => [key_hash, guardrail_id]),
      hashes.map((hash) => [hash, ids[1]])
    )
  })

  it("a workspace goes with its keys while a guardrail of it goes too", async () => {
    const [gone, , , url] = await crossing(
      "select from gatewarden_guardrail_key for update",
      ({ workspaces, account_id, workspace_id }) =>
        workspaces.remove(account_id, workspace_id, { force: true, now: at(4) }),
      ({ guardrails, account_id, ids }) => guardrails.remove(account_id, ids[0])
    )
    assert.strictEqual(gone, "removed")
    assert.isEmpty(await assigned(url))
    assert.isEmpty(await execute(url, "select from gatewarden_guardrail"))
  })
})
