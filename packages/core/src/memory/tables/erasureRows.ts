/** Erasures in memory, and how names are replaced in the rows of an account. */
import {
  type Erasure,
  type ErasureStep,
  type NamedEvent,
  type Person,
  type PersonalTableName,
  personalTables
} from "../../ports/erasures.ts"
import { type HistoryPlace, type UsageEvent, traceTags } from "../../ports/usage.ts"
import { userScopes } from "../../ledger/budgetsOf.ts"
import { placeOfAlert } from "./raiseAlert.ts"
import { eventPlace, memberPlace, type Tables } from "./Tables.ts"
import { noteOutgoing } from "./recordEvent.ts"

export interface ErasureRow extends Erasure {
  readonly account_id: string
  readonly step: ErasureStep
  readonly place: HistoryPlace | undefined
  readonly sealed_request: Uint8Array | null
  readonly request_digest: string | null
  readonly due_at: string
}

interface Replacing {
  readonly account_id: string
  readonly person: Person
  readonly pseudonym: string
}

/** Rows by table that were changed. */
type Counts = Record<string, number>

/** The row with the pseudonym in every field that named the person; the same row if none did. */
const renamed = <T extends object>(table: PersonalTableName, row: T, { person, pseudonym }: Replacing): T => {
  const fields: readonly string[] = personalTables[table][person.kind]
  let isNamed = false
  const replace = (value: unknown): unknown => {
    if (value !== person.name) return value
    isNamed = true
    return pseudonym
  }
  const entries = Object.entries(row).map(([name, value]: readonly [string, unknown]) => [
    name,
    !fields.includes(name) ? value : Array.isArray(value) ? value.map(replace) : replace(value)
  ])
  return isNamed ? (Object.fromEntries(entries) as T) : row
}

/** Replaces names in rows of configuration, at most so many of each table; false when there were more. */
export const eraseConfiguration = (tables: Tables, replacing: Replacing, atMost: number, counts: Counts): boolean => {
  let isDone = true
  const each = <T extends object>(
    table: PersonalTableName,
    rows: Iterable<T>,
    put: (row: T, before: T) => void
  ): void => {
    let changed = 0
    for (const before of [...rows]) {
      const row = renamed(table, before, replacing)
      if (row === before) continue
      if (changed === atMost) return void (isDone = false)
      put(row, before)
      changed++
    }
    counts[table] = changed
  }
  const { account_id } = replacing
  each("key", tables.apiKeys.ofAccount(account_id), (row) => tables.apiKeys.set(row.hash, row))
  each("deleted_key", tables.deletedKeys.ofAccount(account_id), (row) => tables.deletedKeys.set(row.hash, row))
  each("external_user", tables.externalUsers.ofAccount(account_id), (row) => tables.externalUsers.set(row.id, row))
  each("authorization_code", tables.codeGrants.ofAccount(account_id), (row) =>
    tables.codeGrants.set(row.code_hash, row)
  )
  each("byok_credential", tables.byokCredentials.ofAccount(account_id), (row) =>
    tables.byokCredentials.set(row.id, row)
  )
  each("directory_user", tables.directoryUsers.ofAccount(account_id), (row) =>
    tables.directoryUsers.set(row.id, { ...row, user_name: row.user_id, external_id: null, attributes: {} })
  )
  each("federation_policy", tables.federationPolicies.ofAccount(account_id), (row) =>
    tables.federationPolicies.set(row.id, row)
  )
  const keys = tables.apiKeys.ofAccount(account_id).map(({ hash }) => hash)
  const assigned = keys.flatMap((key_hash) => {
    const assignment = tables.guardrailOfKey.get(key_hash)
    return assignment === undefined ? [] : [{ ...assignment, key_hash }]
  })
  each("key_assignment", assigned, ({ key_hash, ...row }) => tables.guardrailOfKey.set(key_hash, row))
  each("member_assignment", tables.guardrailOfMember.ofAccount(account_id), (row, before) => {
    // The place has the name: the row leaves it unseen.
    if (row.user_id !== before.user_id)
      tables.changes.without("everything", () =>
        tables.guardrailOfMember.delete(memberPlace(account_id, before.user_id))
      )
    tables.guardrailOfMember.set(memberPlace(account_id, row.user_id), row)
  })
  erasePresets(tables, replacing, each)
  each("workspace", tables.workspaces.ofAccount(account_id), (row) => tables.workspaces.set(row.id, row))
  return isDone
}

const placeOfPreset = ({ workspace_id, slug }: { readonly workspace_id: string; readonly slug: string }) =>
  `${workspace_id} ${slug}`

/** A preset shows its designated version, and its versions are no configuration of their own. */
const erasePresets = (
  tables: Tables,
  replacing: Replacing,
  each: <T extends object>(table: PersonalTableName, rows: Iterable<T>, put: (row: T, before: T) => void) => void
): void => {
  const { account_id } = replacing
  each(
    "preset",
    tables.presets.ofAccount(account_id).map(({ preset }) => preset),
    (preset) => {
      const place = placeOfPreset(preset)
      const row = tables.presets.get(place)
      if (row !== undefined) tables.presets.set(place, { ...row, preset })
    }
  )
  const versions = tables.presets
    .ofAccount(account_id)
    .flatMap(({ preset, versions }) => versions.map((version) => ({ ...version, place: placeOfPreset(preset) })))
  each("preset_version", versions, ({ place, ...version }) => {
    const row = tables.presets.get(place)
    if (row === undefined) return
    const { preset } = row
    tables.changes.without("everything", () =>
      tables.presets.set(place, {
        preset: preset.designated_version.id === version.id ? { ...preset, designated_version: version } : preset,
        versions: row.versions.map((each) => (each.id === version.id ? version : each))
      })
    )
  })
}

/** Renames a user in what the ledger keeps, and in the alerts of budgets. */
export const eraseLedger = (tables: Tables, { account_id, person, pseudonym }: Replacing, counts: Counts): void => {
  if (person.kind !== "user") return
  counts["budget_warning"] = tables.ledgerOfSpenders.rename(account_id, person.name, pseudonym)
  let alerts = 0
  for (const [place, row] of [...tables.alerts]) {
    const { scope, entity, guardrail_id, interval } = row.alert.data
    const isTheirs = entity === person.name && userScopes.some((one) => one === scope)
    if (row.account_id !== account_id || !isTheirs) continue
    const subject = [scope, ...(guardrail_id === null ? [] : [guardrail_id]), pseudonym, interval].join(":")
    tables.alerts.delete(place)
    tables.alerts.set(placeOfAlert({ account_id, type: row.alert.type, subject, crossing: row.crossing }), {
      ...row,
      alert: { ...row.alert, subject, data: { ...row.alert.data, entity: pseudonym } }
    })
    alerts++
  }
  counts["alert"] = alerts
}

/** Its tags go with it. */
const withoutTrace = ({ classifiers }: UsageEvent): Pick<UsageEvent, "trace" | "classifiers"> => {
  const left = Object.entries(classifiers ?? {}).filter(([id]) => id !== traceTags)
  return { trace: null, classifiers: left.length === 0 ? null : Object.fromEntries(left) }
}

/** Replaces the name in these events, and removes what is about the person beside them. */
export const eraseEvents = (
  tables: Tables,
  { account_id, person, pseudonym }: Replacing,
  events: readonly NamedEvent[],
  counts: Counts
): void => {
  const recorded = tables.usageEvents.get(account_id)
  const ids = new Set<string>()
  for (const { id, session_id } of events) {
    const event = recorded?.get(id)
    if (event === undefined) continue
    ids.add(id)
    const name = person.kind === "user" ? { user_id: pseudonym } : { external_user: pseudonym }
    recorded?.set(id, { ...event, ...name, session_id, ...withoutTrace(event) })
    noteOutgoing(tables, account_id, id)
  }
  const count = (table: string, more: number) => (counts[table] = (counts[table] ?? 0) + more)
  count("usage_event", ids.size)
  for (const id of ids) {
    const place = eventPlace(account_id, id)
    count("generation_content", tables.generationContents.delete(place) ? 1 : 0)
    const feedback = tables.generationFeedback.get(place)
    if (feedback === undefined || feedback.comment === null) continue
    tables.generationFeedback.set(place, { ...feedback, comment: null })
    count("generation_feedback", 1)
  }
  for (const row of [...tables.deliveries.after(0)]) {
    if (row.account_id !== account_id || row.sealed_bodies === null || !ids.has(row.event_id)) continue
    tables.deliveries.replace({ ...row, sealed_bodies: null })
    count("delivery", 1)
  }
  for (const [place, letter] of tables.deadLetters) {
    if (letter.account_id !== account_id || !ids.has(letter.event_id)) continue
    tables.deadLetters.set(place, { ...letter, sealed_bodies: null })
    count("dead_letter", 1)
  }
}
