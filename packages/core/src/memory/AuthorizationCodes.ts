import { Clock, Effect, Option } from "effect"
import { AuthorizationCodes, type CodeGrant } from "../ports/authorizationCodes.ts"
import { asServer } from "../ports/acting.ts"
import { formatInstant, timestamp } from "../value/calendar.ts"
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
  const sweep = asServer(
    "authorization_codes",
    Effect.map(timestamp, (now) => {
      for (const [hash, kept] of codeGrants)
        if (kept.spent_at === null && kept.expires_at <= now) codeGrants.delete(hash)
    })
  )

  return AuthorizationCodes.of({
    insert: (grant, lifetimeMillis) =>
      Effect.map(Effect.andThen(sweep, Clock.currentTimeMillis), (now) => {
        if (ownWorkspace(tables, grant.account_id, grant.workspace_id) === undefined) return "missing"
        for (const kept of codeGrants.values()) if (kept.spent_at === null && meets(kept, grant)) return "taken"
        const dies = formatInstant(now + lifetimeMillis)
        const { key_expires_at } = grant
        const expires_at = key_expires_at !== null && key_expires_at < dies ? key_expires_at : dies
        codeGrants.set(grant.code_hash, { ...grant, expires_at, spent_at: null, key_hash: null })
        return { app_id: appNumber(tables, grant.account_id, grant.callback_origin) }
      }),
    find: (code_hash) =>
      Effect.map(timestamp, (found_at) =>
        Option.map(Option.fromUndefinedOr(codeGrants.get(code_hash)), (grant) => ({ ...grant, found_at }))
      ),
    spend: (code_hash, key) =>
      Effect.map(timestamp, (now) => {
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
