/** What the command line does to keys. */
import { ResetInterval, longestOverlap, text, usd } from "@gatewarden/contract/internal"
import {
  isLive,
  newApiKey,
  replaceKey,
  revokeKey,
  rotateSecret,
  timestamp,
  type ApiKey,
  ApiKeys,
  Workspaces,
  defaultAccountName
} from "@gatewarden/core/internal"
import { Clock, Effect, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as z from "zod"
import { failed } from "../failure/Failed.ts"
import { CommandSql, command } from "../store/StoreCommand.ts"
import { orStartFailure } from "../store/openStore.ts"
import { accountNamed } from "./accountNamed.ts"

const Key = z.object({
  hash: z.string(),
  label: z.string(),
  name: z.string(),
  kind: z.enum(["management", "gateway", "normal"]),
  workspace_id: z.string().nullable(),
  state: z.enum(["live", "disabled", "expired", "revoked"]),
  disabled: z.boolean(),
  expires_at: z.string().nullable(),
  created_at: z.string()
})

const stateOf = (key: ApiKey, now: string) => {
  if (key.disabled) return "disabled"
  if (isLive(key, now)) return "live"
  return key.revoked_at === null ? "expired" : "revoked"
}

const printed = (key: ApiKey) => Effect.map(timestamp, (now) => Key.parse({ ...key, state: stateOf(key, now) }))

/** A hash, or enough of its beginning. What does not fit is not repeated: it may be a key. */
const hashPrefix = z
  .string()
  .regex(/^[0-9a-f]{6,64}$/, "Expected a key's hash, or at least 6 characters of its beginning")

const named = z.object({ account: z.string().default(defaultAccountName), hash: hashPrefix })

const keyNamed = Effect.fnUntraced(function* ({ account, hash }: z.output<typeof named>) {
  const { id } = yield* accountNamed(account)
  const found = (yield* (yield* ApiKeys).list(id, {})).filter((key) => key.hash.startsWith(hash))
  const [key] = found
  if (key === undefined)
    return yield* failed("missing", `The account "${account}" has no key whose hash begins like this`)
  if (found.length > 1)
    return yield* failed(
      "failure",
      "Several keys have a hash like this; say more of it:",
      ...found.map(({ hash, name }) => `${hash}  ${name}`)
    )
  return key
})

/** Whether any account can still be managed with a key. */
export const hasManagementKey = Effect.map(
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      select 1 as one from gatewarden_api_key
      where kind = 'management' and not disabled and (expires_at is null or expires_at > now()) limit 1`
  ),
  (rows) => rows.length > 0
)

/** Whether the next start creates the first account with its management key. Rule: operating#first-key. */
export const isBeforeFirstStart = Effect.map(
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`select 1 as one from gatewarden_account where name = ${defaultAccountName} limit 1`
  ),
  (rows) => rows.length === 0
)

export const keyCommands = {
  findManagementKey: command({
    input: z.object({}),
    output: z.object({ found: z.boolean() }),
    run: Effect.fnUntraced(function* () {
      const { sql } = yield* CommandSql
      if (sql === undefined) return { found: true }
      return { found: yield* orStartFailure(Effect.provideContext(hasManagementKey, sql)) }
    })
  }),
  createKey: command({
    input: z
      .object({
        account: z.string().default(defaultAccountName),
        /** Id or slug. */
        workspace: z.string().default("default"),
        name: text(1, 100),
        management: z.boolean(),
        /** Of the whole installation, and so of no account that could be named. */
        gateway: z.boolean().default(false),
        /** USD; `null` without one. */
        limit: usd.nullable().default(null),
        limit_reset: ResetInterval.nullable().default(null)
      })
      .refine(
        ({ gateway, management, account }) => !gateway || (!management && account === defaultAccountName),
        "A gateway key belongs to the whole installation: leave out --management and --account"
      ),
    output: Key.extend({ key: z.string() }),
    run: Effect.fnUntraced(function* (input) {
      const account = yield* accountNamed(input.account)
      const kind = input.gateway ? "gateway" : input.management ? "management" : "normal"
      const workspace = kind !== "normal" ? Option.none() : yield* (yield* Workspaces).find(account.id, input.workspace)
      const missing = failed("missing", `There is no workspace "${input.workspace}" in the account "${input.account}"`)
      if (kind === "normal" && Option.isNone(workspace)) return yield* missing
      const { key, record } = yield* newApiKey({
        account_id: account.id,
        kind,
        workspace_id: Option.isSome(workspace) ? workspace.value.id : null,
        name: input.name,
        limit: input.limit,
        limit_reset: input.limit_reset
      })
      // False when the workspace was deleted meanwhile.
      if (!(yield* (yield* ApiKeys).insert(record))) return yield* missing
      return { ...(yield* printed(record)), key: Redacted.value(key) }
    })
  }),
  listKeys: command({
    input: z.object({ account: z.string().default(defaultAccountName) }),
    output: z.object({ keys: z.array(Key) }),
    run: Effect.fnUntraced(function* (input) {
      const account = yield* accountNamed(input.account)
      return { keys: yield* Effect.forEach(yield* (yield* ApiKeys).list(account.id, {}), printed) }
    })
  }),
  rotateKey: command({
    input: named.extend({ overlap_ms: z.int().min(0) }),
    /** An API key stays the same key, so `old` is the key as it was. `overlap_ends_at`: until when the old secret opens it, or the old key is valid. */
    output: z.object({ old: Key, new: Key.extend({ key: z.string() }), overlap_ends_at: z.string() }),
    run: Effect.fnUntraced(function* (input) {
      const old = yield* keyNamed(input)
      if (!isLive(old, yield* timestamp))
        return yield* failed(
          "failure",
          `This key is not in use any more; make another with: gatewarden keys create --${old.kind}`
        )
      const overlap_ends_at = new Date((yield* Clock.currentTimeMillis) + input.overlap_ms).toISOString()
      if (old.kind === "normal" && input.overlap_ms > longestOverlap * 1_000)
        return yield* failed("usage", "--overlap: expected at most 30 days for an API key")
      const isReplaced = old.kind !== "normal"
      const made = yield* (
        isReplaced
          ? replaceKey(old, input.overlap_ms)
          : Effect.map(rotateSecret(old.account_id, old.hash, input.overlap_ms), Option.getOrUndefined)
      ).pipe(Effect.catch(() => failed("failure", "The directory says that the user of this key may not act")))
      if (made === undefined) return yield* failed("missing", "The key was deleted while the command ran")
      const after = isReplaced ? yield* keyNamed({ account: input.account, hash: old.hash }) : old
      return {
        old: yield* printed(after),
        new: { ...(yield* printed(made.record)), key: Redacted.value(made.key) },
        overlap_ends_at: isReplaced ? (after.expires_at ?? overlap_ends_at) : overlap_ends_at
      }
    })
  }),
  /** Rule: access#restricted-keys. */
  revokeKey: command({
    input: named.extend({ force: z.boolean() }),
    output: Key,
    run: Effect.fnUntraced(function* (input) {
      const key = yield* keyNamed(input)
      const outcome = yield* revokeKey(key, input.force)
      if (outcome === "last")
        return yield* failed(
          "failure",
          `Without this key nobody could manage the account "${input.account}"${key.expires_at === null ? "" : " for as long"}: make another first, or add --force`
        )
      if (outcome === "absent") return yield* failed("missing", "The key was deleted while the command ran")
      return yield* printed(yield* keyNamed({ account: input.account, hash: key.hash }))
    })
  })
} as const
