import type { ErasureObstacle, GenerationFeedback } from "@gatewarden/contract/internal"
import { Context, type Effect, type Option } from "effect"
import type { Page, PageRequest } from "../value/Page.ts"
import type { Change } from "./changeLog.ts"
import type { HistoryPlace } from "./usage.ts"

/**
 * `usage`: events, first to last. `rows`: sums, configuration and what else has the name. `late`: events once more, for those that were recorded
 * behind the first walk. `rest`: as `rows`, for what came in meanwhile.
 */
export const erasureSteps = ["usage", "rows", "late", "rest"] as const
export type ErasureStep = (typeof erasureSteps)[number]

export interface Erasure {
  readonly id: string
  readonly kind: Person["kind"]
  readonly pseudonym: string
  readonly status: "queued" | "running" | "waiting" | "succeeded"
  readonly in_the_way: readonly ErasureObstacle[]
  /** Rows that were changed, by table. */
  readonly erased: Readonly<Record<string, number>>
  readonly created_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
}

export interface ErasureDraft extends Pick<Erasure, "id" | "kind" | "pseudonym" | "created_at"> {
  /** Who it is, and the salt of the pseudonyms, encrypted (`sealErasure`). */
  readonly sealed_request: Uint8Array
  /** The same for the same person of the account: a person has one job at a time. */
  readonly request_digest: string
}

/** An erasure that is not finished, and where it goes on. */
export interface DueErasure extends Pick<Erasure, "id" | "kind" | "pseudonym"> {
  readonly account_id: string
  readonly step: ErasureStep
  /** The event that was walked past last; undefined before the first. */
  readonly place: HistoryPlace | undefined
  readonly sealed_request: Uint8Array
}

export interface NamedEvent {
  readonly id: string
  readonly session_id: string | null
}

/** A stretch of usage: the events of it that name the person, and its end, undefined where usage ends. */
export interface WalkedUsage {
  readonly events: readonly NamedEvent[]
  readonly last: HistoryPlace | undefined
}

/** One bounded step. */
export type ErasureWork =
  | { readonly does: "wait"; readonly in_the_way: readonly ErasureObstacle[]; readonly until: string }
  /** Names of these events are replaced, sessions become `session_id`; the next step begins where `walked.last` is undefined. */
  | { readonly does: "events"; readonly person: Person; readonly walked: WalkedUsage }
  /** Rows of every other table, at most so many of each. When none is left, the next step begins, or the job has succeeded. */
  | { readonly does: "rows"; readonly person: Person; readonly atMost: number }

/** Jobs that erase persons, and the steps by which a store does them. Rule: access#erasures. */
export class Erasures extends Context.Service<
  Erasures,
  {
    /** The job of the same digest that is not finished; else this one. `full`: as many as there may be are not finished. */
    readonly start: (account_id: string, draft: ErasureDraft, most: number) => Effect.Effect<Erasure | "full">
    readonly find: (account_id: string, id: string) => Effect.Effect<Option.Option<Erasure>>
    readonly list: (account_id: string, page: PageRequest) => Effect.Effect<Page<Erasure>>
    /**
     * Accounts take turns by id: of the first account behind `after` that has due jobs, else of the first of all, the one that is due for
     * the longest time.
     */
    readonly due: (now: string, after: string | null) => Effect.Effect<Option.Option<DueErasure>>
    /** What could still act in the person's name, or is being recorded of it. */
    readonly inTheWay: (account_id: string, person: Person, now: string) => Effect.Effect<readonly ErasureObstacle[]>
    /** Examines at most so many events behind a place. */
    readonly walk: (
      account_id: string,
      person: Person,
      place: HistoryPlace | undefined,
      examined: number
    ) => Effect.Effect<WalkedUsage>
    /**
     * Does a step and keeps how far the job is, all or nothing; answers what it changed of configuration. The log of changes tells that it was
     * changed, and none of its values. Nothing happens where the job has ended.
     */
    readonly advance: (
      account_id: string,
      id: string,
      work: ErasureWork,
      now: string
    ) => Effect.Effect<readonly Change[]>
  }
>()("gatewarden/Erasures") {}

/** The step behind one; undefined behind the last. */
export const stepAfter = (step: ErasureStep): ErasureStep | undefined => erasureSteps[erasureSteps.indexOf(step) + 1]

/** Sums of rows by table. */
export const addErased = (
  before: Readonly<Record<string, number>>,
  more: Readonly<Record<string, number>>
): Readonly<Record<string, number>> => {
  const sums: Record<string, number> = { ...before }
  for (const [table, count] of Object.entries(more)) if (count > 0) sums[table] = (sums[table] ?? 0) + count
  return sums
}

export interface PersonalRow {
  /** The value of the table's `place`. */
  readonly place: string
  /** Has the fields of `personalTables`, those that name persons too. */
  readonly row: Readonly<Record<string, unknown>>
}

export interface FeedbackOn extends GenerationFeedback {
  /** Of the event. */
  readonly id: string
}

/** The rows of configuration that name a person, and what is kept beside the person's usage. */
export class PersonalRows extends Context.Service<
  PersonalRows,
  {
    /** At most `limit` rows of one table that name the person, behind a place, by place. */
    readonly naming: (
      account_id: string,
      person: Person,
      table: PersonalTableName,
      after: string,
      limit: number
    ) => Effect.Effect<readonly PersonalRow[]>
    /** The feedback on these events, in their order. */
    readonly feedbackOn: (account_id: string, ids: readonly string[]) => Effect.Effect<readonly FeedbackOn[]>
  }
>()("gatewarden/PersonalRows") {}

export interface PersonalTable {
  /** Fields with the id of a user, or with a list of them. */
  readonly user: readonly string[]
  /** Fields with a host's name for its end user. */
  readonly external_user: readonly string[]
  /** Names a row for ever, and orders the rows. */
  readonly place: string
  readonly shown: readonly string[]
}

const assignment = ["id", "guardrail_id", "created_at"]

/**
 * What of the configuration names persons, and which fields of it an export shows. Rule: access#personal-data.
 *
 * Fields that name a person are shown by name only (`named_in`), so that nobody's export has another person in it. Secrets are not listed.
 */
export const personalTables = {
  key: {
    user: ["user_id", "creator_user_id"],
    external_user: ["external_user"],
    place: "hash",
    shown: [
      ...["hash", "kind", "workspace_id", "name", "label", "disabled", "expires_at", "revoked_at"],
      ...["created_at", "updated_at"]
    ]
  },
  deleted_key: { user: ["user_id"], external_user: ["external_user"], place: "hash", shown: ["hash"] },
  external_user: {
    user: [],
    external_user: ["external_user"],
    place: "id",
    shown: ["id", "is_active", "created_at", "updated_at"]
  },
  authorization_code: {
    user: ["user_id"],
    external_user: [],
    place: "code_hash",
    shown: ["workspace_id", "callback_url", "key_name", "created_at", "expires_at", "spent_at", "key_hash"]
  },
  byok_credential: {
    user: ["allowed_user_ids"],
    external_user: [],
    place: "id",
    shown: ["id", "workspace_id", "provider", "name", "disabled", "created_at"]
  },
  directory_user: {
    user: ["user_id"],
    external_user: [],
    place: "id",
    shown: ["id", "user_name", "external_id", "active", "attributes", "created_at", "updated_at"]
  },
  federation_policy: {
    user: ["user_id"],
    external_user: [],
    place: "id",
    shown: ["id", "workspace_id", "name", "issuer", "audience", "subject", "disabled", "created_at", "updated_at"]
  },
  key_assignment: { user: ["assigned_by"], external_user: [], place: "id", shown: [...assignment, "key_hash"] },
  member_assignment: { user: ["user_id", "assigned_by"], external_user: [], place: "id", shown: assignment },
  preset: {
    user: ["creator_user_id"],
    external_user: [],
    place: "id",
    shown: ["id", "workspace_id", "slug", "name", "description", "status", "created_at", "updated_at"]
  },
  preset_version: {
    user: ["creator_id"],
    external_user: [],
    place: "id",
    shown: ["id", "preset_id", "version", "created_at"]
  },
  workspace: {
    user: ["created_by"],
    external_user: [],
    place: "id",
    shown: ["id", "slug", "name", "description", "created_at", "updated_at"]
  },
  workspace_member: {
    user: ["user_id"],
    external_user: [],
    place: "id",
    shown: ["id", "workspace_id", "role", "created_at"]
  }
} as const satisfies Readonly<Record<string, PersonalTable>>

export type PersonalTableName = keyof typeof personalTables

export const personalTableNames = Object.keys(personalTables) as PersonalTableName[]

/** Whose data is sought. */
export interface Person {
  readonly kind: "user" | "external_user"
  readonly name: string
}

/** The fields of a row that name the person. */
export const namedIn = (
  table: PersonalTableName,
  { kind, name }: Person,
  row: Readonly<Record<string, unknown>>
): readonly string[] => {
  const fields: readonly string[] = personalTables[table][kind]
  return fields.filter((field) => {
    const value = row[field]
    return Array.isArray(value) ? value.includes(name) : value === name
  })
}
