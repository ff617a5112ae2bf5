import { federationPoliciesPerWorkspace, type FederationPolicy } from "@gatewarden/contract/internal"
import { Effect, Equal, Option } from "effect"
import { FederationPolicies } from "../ports/federationPolicies.ts"
import { onSweep } from "./tables/sweeps.ts"
import {
  type Owned,
  type Tables,
  deleteKey,
  isInactiveUser,
  ownWorkspace,
  pageOf,
  withoutOwner
} from "./tables/Tables.ts"

const policyOf = (row: Owned<FederationPolicy>): FederationPolicy => withoutOwner(row)

interface Use {
  key_hash: string | null
  readonly key_ends_at: number
  readonly ends_at: number
}

export const federationPolicies = (tables: Tables) => {
  const { federationPolicies: rows } = tables
  /** By account and use. */
  const uses = new Map<string, Use>()
  onSweep(tables.sweeps, "token_exchanges", (before, atMost) => {
    let swept = 0
    for (const [place, use] of uses) {
      if (swept >= atMost) break
      if (use.key_hash !== null && use.key_ends_at < before) {
        deleteKey(tables, use.key_hash)
        use.key_hash = null
        swept++
      } else if (use.key_hash === null && use.ends_at < before) {
        uses.delete(place)
        swept++
      }
    }
    return swept
  })
  const own = (account_id: string, id: string) => {
    const row = rows.get(id)
    return row?.account_id === account_id ? row : undefined
  }
  const inWorkspace = (account_id: string, workspace_id: string) =>
    rows.ofAccount(account_id).filter((row) => row.workspace_id === workspace_id)
  return FederationPolicies.of({
    insert: (account_id, policy) =>
      Effect.sync(() => {
        const { workspace_id } = policy
        if (ownWorkspace(tables, account_id, workspace_id) === undefined) return "missing"
        if (inWorkspace(account_id, workspace_id).length >= federationPoliciesPerWorkspace) return "full"
        rows.set(policy.id, { ...policy, account_id })
        return "inserted"
      }),
    find: (account_id, id) => Effect.sync(() => Option.map(Option.fromUndefinedOr(own(account_id, id)), policyOf)),
    named: (id) =>
      Effect.sync(() => {
        const row = rows.get(id)
        const account = row && tables.accounts.get(row.account_id)
        if (row === undefined || account === undefined || account.suspended_at !== null) return Option.none()
        return Option.some({ account_id: row.account_id, policy: policyOf(row) })
      }),
    list: (account_id, { workspace_id }, page) =>
      Effect.sync(() => pageOf<FederationPolicy>(inWorkspace(account_id, workspace_id).map(policyOf), page)),
    update: (account_id, id, change, now) =>
      Effect.sync(() => {
        const row = own(account_id, id)
        if (row === undefined) return Option.none()
        const changed = { ...row, ...change }
        const next = Equal.equals(changed, row) ? row : { ...changed, updated_at: now }
        rows.set(id, next)
        return Option.some(policyOf(next))
      }),
    remove: (account_id, id) => Effect.sync(() => own(account_id, id) !== undefined && rows.delete(id)),
    issue: (key, { policy_id, use_id, ends_at }) =>
      Effect.sync(() => {
        const policy = own(key.account_id, policy_id)
        if (policy === undefined || policy.disabled) return "missing"
        if (isInactiveUser(tables, key.account_id, key.user_id)) return "missing"
        const place = `${key.account_id} ${use_id}`
        if (uses.has(place)) return "used"
        uses.set(place, {
          key_hash: key.hash,
          key_ends_at: Date.parse(key.expires_at ?? ends_at),
          ends_at: Date.parse(ends_at)
        })
        tables.apiKeys.set(key.hash, key)
        return "issued"
      })
  })
}
