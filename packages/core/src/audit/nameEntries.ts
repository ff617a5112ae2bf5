import type { Noun, PrintedAuditEntry } from "@gatewarden/contract"
import { Effect } from "effect"
import type { NamedKind } from "../ports/names.ts"
import { findNames, type Reference } from "../naming/findNames.ts"
import type { AuditEntry } from "../ports/changes.ts"

/** What the entity of a change is, if it has a name that can be looked up. */
const kindOf: Readonly<Partial<Record<Noun, NamedKind>>> = {
  destination: "destination",
  guardrail: "guardrail",
  key: "key",
  key_assignment: "key",
  key_rate_limits: "key",
  workspace: "workspace"
}

const recordedName = ({ before, after }: AuditEntry): string | undefined =>
  [after?.["name"], before?.["name"]].find((name) => typeof name === "string")

const entityOf = ({ noun, entity }: AuditEntry): Reference => [kindOf[noun], entity]
const actorOf = ({ actor }: AuditEntry): Reference => [actor.type === "key" ? "key" : undefined, actor.id]

/** Entries as they are listed. Rule: audit#audit-log, requests#names-beside-ids. The log is the whole account's. */
export const nameEntries = (account_id: string, entries: readonly AuditEntry[]) =>
  Effect.map(
    findNames(
      account_id,
      entries.flatMap((entry) => [actorOf(entry), ...(recordedName(entry) === undefined ? [entityOf(entry)] : [])]),
      () => true
    ),
    (nameOf) =>
      entries.map((entry) => {
        const { position, at, noun, action, entity, actor, ...rest } = entry
        const entity_name = recordedName(entry) ?? nameOf(...entityOf(entry))
        const named = { ...actor, name: nameOf(...actorOf(entry)) }
        return { position, at, noun, action, entity, entity_name, ...rest, actor: named } as PrintedAuditEntry
      })
  )
