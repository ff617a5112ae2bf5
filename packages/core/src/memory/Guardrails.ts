import type { Guardrail } from "@gatewarden/contract"
import { Effect, Equal, Option } from "effect"
import { Guardrails, defaultGuardrailName, unrestricted } from "../ports/guardrails.ts"
import { oversized } from "../ports/limits.ts"
import { type Owned, type Tables, deleteGuardrail, ownWorkspace, pageOf, withoutOwner } from "./tables/Tables.ts"

export const guardrails = (tables: Tables) => {
  const own = (account_id: string, id: string) => {
    const row = tables.guardrails.get(id)
    return row?.account_id === account_id ? row : undefined
  }
  const workspaceOfDefault = (account_id: string, id: string) =>
    tables.workspaces.ofAccount(account_id).find((row) => row.default_guardrail_id === id)

  return Guardrails.of({
    insert: (account_id, guardrail) =>
      Effect.sync(() => {
        if (ownWorkspace(tables, account_id, guardrail.workspace_id) === undefined) return false
        tables.guardrails.set(guardrail.id, { ...guardrail, account_id })
        return true
      }),
    find: (account_id, id) =>
      Effect.sync(() => Option.map(Option.fromUndefinedOr(own(account_id, id)), (row) => withoutOwner<Guardrail>(row))),
    update: (account_id, id, change, now) =>
      Effect.sync(() => {
        const workspace = workspaceOfDefault(account_id, id)
        if (workspace !== undefined && change.name !== undefined && change.name !== defaultGuardrailName(workspace.id))
          return "name_kept"
        const materialised: Owned<Guardrail> | undefined = workspace && {
          ...unrestricted,
          account_id,
          id,
          workspace_id: workspace.id,
          name: defaultGuardrailName(workspace.id),
          created_at: now,
          updated_at: null
        }
        const stored = own(account_id, id)
        const current = stored ?? materialised
        if (current === undefined) return "missing"
        const changed = { ...current, ...change }
        const refused = oversized(stored, changed)
        if (refused !== undefined) return refused
        const next = Equal.equals(changed, current) ? current : { ...changed, updated_at: now }
        tables.guardrails.set(id, next)
        return withoutOwner<Guardrail>(next)
      }),
    list: (account_id, { workspace_id }, page) =>
      Effect.sync(() => {
        const rows = tables.guardrails.ofAccount(account_id).filter((row) => row.workspace_id === workspace_id)
        return pageOf(rows.map(withoutOwner<Guardrail>), page)
      }),
    remove: (account_id, id) =>
      Effect.sync(() => {
        if (workspaceOfDefault(account_id, id) !== undefined) return "default"
        return own(account_id, id) !== undefined && deleteGuardrail(tables, id) ? "removed" : "missing"
      })
  })
}
