/**
 * The rows that the in-memory ports share, as plain maps. One value is one store.
 *
 * The in-memory store is the executable reference that property tests hold the SQL stores to: every method runs in one
 * synchronous step, so it is atomic by construction.
 */
import type { Guardrail, Workspace } from "@gatewarden/contract"
import type { Account } from "../access/Accounts.ts"
import type { ApiKey } from "../access/ApiKey.ts"

/** A row with the account that owns it. */
export type Owned<T> = T & { readonly account_id: string }

export const makeTables = () => ({
  accounts: new Map<string, Account & { readonly default_workspace_id: string }>(),
  apiKeys: new Map<string, ApiKey>(),
  workspaces: new Map<string, Owned<Workspace>>(),
  guardrails: new Map<string, Owned<Guardrail>>()
})

export type Tables = ReturnType<typeof makeTables>

/** The workspace, if it lives in the account. */
export const ownWorkspace = (tables: Tables, account_id: string, id: string): Workspace | undefined => {
  const workspace = tables.workspaces.get(id)
  return workspace?.account_id === account_id ? workspace : undefined
}

/** A row without the account that owns it. */
export const withoutOwner = <T>({ account_id: _, ...row }: Owned<T>): T => row as T

/** By `created_at`, then `id`: the order of every list (decisions 4). */
export const byCreation = (a: { readonly created_at: string; readonly id: string }, b: typeof a): number =>
  a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : a.id < b.id ? -1 : a.id > b.id ? 1 : 0
