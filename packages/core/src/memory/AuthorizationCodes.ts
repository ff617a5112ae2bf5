import { Effect, Option } from "effect"
import { AuthorizationCodes, type CodeGrant } from "../ports/authorizationCodes.ts"
import { asServer } from "../ports/acting.ts"
import { onSweep, sweepMap } from "./tables/sweeps.ts"
import { type Tables, appNumber, isInactiveUser, ownWorkspace } from "./tables/Tables.ts"

export const authorizationCodes = (tables: Tables) => {
  const { codeGrants } = tables
  onSweep(
    tables.sweeps,
    "authorization_codes",
    sweepMap(codeGrants, ({ spent_at, expires_at }, before) => spent_at === null && Date.parse(expires_at) < before)
  )
  const meets = (one: CodeGrant, other: CodeGrant) =>
    one.challenge_hash !== null &&
    one.challenge_hash === other.challenge_hash &&
    one.account_id === other.account_id &&
    one.callback_origin === other.callback_origin
  /** Of any account, whose log names nobody of another one. */
  const sweep = (now: string) =>
    asServer(
      "authorization_codes",
      Effect.sync(() => {
        for (const [hash, kept] of codeGrants)
          if (kept.spent_at === null && kept.expires_at <= now) codeGrants.delete(hash)
      })
    )

  return AuthorizationCodes.of({
    insert: (grant) =>
      Effect.map(sweep(grant.created_at), () => {
        if (ownWorkspace(tables, grant.account_id, grant.workspace_id) === undefined) return "missing"
        for (const kept of codeGrants.values()) if (kept.spent_at === null && meets(kept, grant)) return "taken"
        codeGrants.set(grant.code_hash, { ...grant, spent_at: null, key_hash: null })
        return { app_id: appNumber(tables, grant.account_id, grant.callback_origin) }
      }),
    find: (code_hash) => Effect.sync(() => Option.fromUndefinedOr(codeGrants.get(code_hash))),
    spend: (code_hash, key, now) =>
      Effect.sync(() => {
        const grant = codeGrants.get(code_hash)
        if (grant === undefined || grant.spent_at !== null || grant.expires_at <= now) return false
        if (tables.accounts.get(grant.account_id)?.suspended_at !== null) return false
        if (isInactiveUser(tables, key.account_id, key.user_id)) return false
        codeGrants.set(code_hash, { ...grant, spent_at: now, key_hash: key.hash })
        tables.apiKeys.set(key.hash, key)
        return true
      }),
    burn: (code_hash) =>
      Effect.sync(() => {
        if (codeGrants.get(code_hash)?.spent_at === null) codeGrants.delete(code_hash)
      })
  })
}
