/**
 * What is deleted once nobody needs it: one row for each table that grows with time. Usage is not among them.
 *
 * A row is kept until it no longer counts, and for the time of its setting after that. The table makes the jobs, the variables
 * `GATEWARDEN_KEEP_...` and the section of docs/operating.md.
 */
interface RetainedRows {
  /** The tables of the SQL stores. */
  readonly tables: readonly string[]
  readonly default_seconds: number
  /** The least that keeps every promise. */
  readonly min_seconds: number
  /** From when the time counts, and of what, as it ends the sentence "Keeps …". */
  readonly meaning: string
  readonly every_seconds: number
}

const rows = <const R extends RetainedRows>(row: R): R => row

const minute = 60
const hour = 3_600
const day = 86_400

export const retained = {
  idempotency_records: rows({
    tables: ["gatewarden_idempotency_record"],
    default_seconds: 0,
    min_seconds: 0,
    meaning: "answers of requests with an Idempotency-Key after they have ended",
    every_seconds: minute
  }),
  authorization_codes: rows({
    tables: ["gatewarden_authorization_code"],
    default_seconds: 0,
    min_seconds: 0,
    meaning: "authorization codes that nobody exchanged after they have expired",
    every_seconds: minute
  }),
  request_counts: rows({
    tables: ["gatewarden_rate_limit"],
    default_seconds: 2 * day,
    min_seconds: day,
    meaning: "the rate limit window of a key or account after its last request",
    every_seconds: hour
  }),
  key_admissions: rows({
    tables: ["gatewarden_key_admission"],
    default_seconds: 0,
    min_seconds: 0,
    meaning: "admissions of keys with rate limits after they count no longer",
    every_seconds: minute
  }),
  holds: rows({
    tables: ["gatewarden_hold", "gatewarden_budget_list"],
    default_seconds: 35 * day,
    min_seconds: day,
    meaning: "settled, cancelled and expired holds after they were made; until then a late settlement finds them",
    every_seconds: hour
  }),
  budget_windows: rows({
    tables: ["gatewarden_budget_window"],
    default_seconds: 35 * day,
    min_seconds: day,
    meaning: "budget windows after their end",
    every_seconds: hour
  }),
  budget_warnings: rows({
    tables: ["gatewarden_budget_warning", "gatewarden_stored_amount"],
    default_seconds: 400 * day,
    min_seconds: 32 * day,
    meaning: "budget warnings after they were recorded; those of a lifetime budget stay as long as the budget's owner",
    every_seconds: hour
  }),
  deleted_keys: rows({
    tables: ["gatewarden_deleted_key"],
    default_seconds: 90 * day,
    min_seconds: 0,
    meaning:
      "the hash of a deleted key after its deletion; until then a caller is told that it was deleted. 90 days at most",
    every_seconds: hour
  }),
  unfinished_imports: rows({
    tables: ["gatewarden_usage_batch", "gatewarden_usage_staging"],
    default_seconds: hour,
    min_seconds: 10 * minute,
    meaning: "the bodies of a usage import that broke off after its last piece",
    every_seconds: 10 * minute
  }),
  ranking_days: rows({
    tables: ["gatewarden_ranking_day", "gatewarden_ranking_cell", "gatewarden_ranking_late"],
    default_seconds: 1_100 * day,
    min_seconds: 40 * day,
    meaning: "the daily sums that rankings read; older days are summed from the events when they are asked for",
    every_seconds: hour
  })
} as const

export type Retained = keyof typeof retained

export const retainedNames = Object.keys(retained) as readonly Retained[]

/** Seconds, by what is kept. */
export type RetentionSettings = Readonly<Record<Retained, number>>

export const defaultRetention = Object.fromEntries(
  retainedNames.map((name) => [name, retained[name].default_seconds])
) as RetentionSettings

/** `GATEWARDEN_KEEP_HOLDS` for `holds`. */
export const retentionVariable = (name: Retained): string => `GATEWARDEN_KEEP_${name.toUpperCase()}`
