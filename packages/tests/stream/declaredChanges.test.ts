/**
 * What an operation declares to change is what it changes: each is called, and the store's stream of changes is read.
 *
 * Rule: audit#recorded-changes.
 */
import { type OperationId, operations, type OperationShape } from "@gatewarden/contract"
import {
  Accounts,
  auditExamined,
  AuditLog,
  ChangeLog,
  defaultAccountName,
  sealChanges
} from "@gatewarden/core/internal"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { fetchDoor } from "@gatewarden/conformance/internal/doors"
import { preparations } from "@gatewarden/testkit/http/preparations"
import { Installation } from "@gatewarden/conformance/internal/Installation"
import { stores } from "@gatewarden/testkit/stores/stores"
import type { Call, World } from "@gatewarden/conformance/internal/World"

/** What has to be there beside what the example needs, so that there is something to take away. */
const before: { readonly [Id in OperationId]?: (world: World, call: Call) => Promise<unknown> } = {
  unassignKeys: (world, call) => world.call("assignKeys", call),
  unassignMembers: (world, call) => world.call("assignMembers", call),
  putWorkspaceBudget: (world, { body: _, ...call }) => world.call("deleteWorkspaceBudget", call),
  removeWorkspaceMembers: (world, call) => world.call("addWorkspaceMembers", call)
}

for (const kind of ["memory", "PGlite"] as const)
  describe(`declared changes on ${kind}`, () => {
    let installation: Installation
    beforeAll(async () => {
      installation = await Installation.start({ store: stores[kind], door: fetchDoor })
    })
    afterAll(() => installation?.stop())

    const run = <A>(effect: Effect.Effect<A, never, AuditLog | ChangeLog>) => installation.run(effect)

    /** What the operation changed, by the log of whoever called. */
    const changedBy = (account_ids: Iterable<string>, operation: string) =>
      run(
        Effect.gen(function* () {
          const found = new Set<string>()
          for (const account_id of account_ids) {
            yield* sealChanges(account_id)
            const { entries } = yield* (yield* AuditLog).list(
              account_id,
              { operation },
              { limit: 100, below: undefined, examined: auditExamined }
            )
            for (const { noun, action } of entries) found.add(`${noun}.${action}`)
          }
          return [...found]
        })
      )

    for (const { id, method, changes, success, example } of operations as readonly OperationShape[])
      it(id, async () => {
        const world = await installation.newWorld()
        const prepared = (await preparations[id as OperationId]?.(world)) ?? {}
        const { params, query, body } = example
        const call: Call = {
          ...(params === undefined ? {} : { params }),
          ...(query === undefined ? {} : { query }),
          ...(body === undefined ? {} : { body }),
          ...prepared
        }
        await before[id as OperationId]?.(world, call)
        const { position } = await run(Effect.flatMap(ChangeLog, (log) => log.since(undefined)))
        const { status, text } = await world.call(id as OperationId, call)
        assert.strictEqual(status, success.status ?? 200, text)
        const told = await run(Effect.flatMap(ChangeLog, (log) => log.since(position)))
        if (changes === "nothing" || changes === "usage") {
          assert.deepStrictEqual(told.changes, [])
          return
        }
        assert.notStrictEqual(method, "GET")
        const accounts = new Set(
          (told.changes as Exclude<typeof told.changes, string>).flatMap(({ account_id }) => account_id ?? [])
        )
        const operator = await installation.run(
          Effect.flatMap(Accounts, ({ findByName }) => Effect.map(findByName(defaultAccountName), Option.getOrThrow))
        )
        const done = await changedBy(new Set([...accounts, operator.id]), id)
        const { noun, action } = changes
        // What is put is created where it was not there.
        const expected = action === "update" ? [`${noun}.update`, `${noun}.create`] : [`${noun}.${action}`]
        assert.isTrue(
          done.some((one) => expected.includes(one)),
          `declared ${noun}.${action}, recorded ${done.join(", ")}`
        )
      })
  })
