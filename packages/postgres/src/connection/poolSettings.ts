import { Data, Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** A session of the host writes values in a style that we would misread. The message says what to set. */
export class SettingRefused extends Data.TaggedError("SettingRefused")<{
  readonly setting: string
  readonly value: string
  readonly expected: string
}> {
  override get message(): string {
    return `The pool's sessions have ${this.setting} = ${this.value}; the store needs ${this.expected}`
  }
}

const needed: readonly (readonly [setting: string, expected: string, fits: RegExp])[] = [
  ["DateStyle", "ISO", /^ISO/],
  ["bytea_output", "hex", /^hex$/],
  ["extra_float_digits", "1 or more", /^[123]$/],
  ["standard_conforming_strings", "on", /^on$/],
  ["array_nulls", "on", /^on$/],
  ["default_transaction_isolation", "read committed", /^read committed$/]
]

/** Settings that change how values are written, or what a statement sees. A session's time zone may be any: no statement depends on it. */
export const requireSettings = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const rows = yield* sql<{ setting: string; value: string }>`
    select setting, current_setting(setting) as value
    from unnest(${needed.map(([setting]) => setting)}::text[]) as asked (setting)`
  const values = new Map(rows.map(({ setting, value }) => [setting, value]))
  for (const [setting, expected, fits] of needed) {
    const value = values.get(setting) ?? ""
    if (!fits.test(value)) return yield* new SettingRefused({ setting, value, expected })
  }
})

/** How many connections to PostgreSQL a process opens at most, unless told otherwise: `layerPostgres` says what each is for. */
export const poolSizes = { reads: 4, writes: 24, analytics: 4, notifications: 1 } as const

export const connectionsPerProcess = Object.values(poolSizes).reduce((sum, size) => sum + size, 0)

/** How many connections statements of accounts have beside those, where row-level security is on. */
export const tenantConnections = 16
