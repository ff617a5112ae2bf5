import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createAccount } from "../../core/src/account/account.ts"
import { getAuditLog } from "../../core/src/audit/auditLog.ts"
import { Guardrails, unrestricted } from "../../core/src/ports/guardrails.ts"
import { layerMemory } from "../../core/src/memory/memoryStore.ts"
import { auditExamined } from "../../core/src/ports/auditLog.ts"

const at = "2026-03-04T12:00:00.000Z"

describe("a page of the audit log", () => {
  it.effect("ends where a search took long enough, and the next one goes on from there", () =>
    Effect.gen(function* () {
      const made = (yield* createAccount("acme")) ?? assert.fail("the account exists")
      const guardrails = yield* Guardrails
      const caller = { account_id: made.account.id } as Parameters<typeof getAuditLog>[0]
      const id = crypto.randomUUID()
      const row = { ...unrestricted, id, workspace_id: made.workspace.id, created_at: at, updated_at: null }
      yield* guardrails.insert(caller.account_id, { ...row, name: "made" })
      for (let change = 0; change < auditExamined; change++)
        yield* guardrails.update(caller.account_id, id, { name: `${change}` }, at)
      const first = yield* getAuditLog(caller, { noun: "workspace", limit: 10 })
      assert.deepStrictEqual(first.data, [])
      const second = yield* getAuditLog(caller, { noun: "workspace", limit: 10, cursor: first.next_cursor ?? "" })
      assert.deepStrictEqual(
        second.data.map(({ entity }) => entity),
        [made.workspace.id]
      )
      assert.isNull(second.next_cursor)
    }).pipe(Effect.provide(layerMemory))
  )
})
