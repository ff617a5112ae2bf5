/** Settings of sessions as startup options. Of two for one setting the last counts, so those of the URL win. */
import { Redacted } from "effect"

/** Those that wait for one lock may stand behind each other on one connection, where their waits add up. */
const longestLockWait = 5_000

/**
 * How long the database waits for the next statement of a transaction, and for a host that is gone. The open transaction of a paused server
 * stops the deliveries of all others. No transaction waits for a platform: operations that call one out are never in one (`isAtomic`).
 */
const abandoned =
  "-c idle_in_transaction_session_timeout=12s -c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3"

/** A transaction reads what others committed while it waited for them. Roles and databases may begin theirs with another view. */
const isolation = "-c default_transaction_isolation=read\\ committed"

/** Switches JIT off: PostgreSQL would compile plans that it expects to be slow, for tens of milliseconds, where running them takes one. */
const interpreted = "-c jit=off"

/** Lists are sent as array literals, in which NULL must mean null, whatever a role says. */
const nulls = "-c array_nulls=on"

export interface SessionSettings {
  readonly startupOptions?: string
}

const ownOptions = (url: Redacted.Redacted<string>): string => {
  const text = Redacted.value(url)
  return URL.canParse(text) ? (new URL(text).searchParams.get("options") ?? "") : ""
}

const settings = (url: Redacted.Redacted<string>, ours: string): SessionSettings => ({
  startupOptions: `${ours} ${ownOptions(url)}`.trim()
})

/**
 * For short statements: how long the server lets one run and wait for a lock. Statements that share a connection wait for the slowest
 * of them, and one that its client has given up runs on: what hangs must end by itself. Zero milliseconds sends no startup options at
 * all, as a pooler that refuses them needs.
 */
export const statementLimits = (url: Redacted.Redacted<string>, millis: number): SessionSettings =>
  millis === 0
    ? {}
    : settings(
        url,
        `-c statement_timeout=${millis} -c lock_timeout=${Math.min(millis, longestLockWait)} ${abandoned} ${interpreted} ${nulls} ${isolation}`
      )

/** How long the answer to a short statement may be on its way, after the server has given the statement up. */
const answerMillis = 5_000

/** For statements whose limit others have set. None of them takes so long. */
const unknownLimitMillis = 300_000

/** How long the client waits for the answer to a short statement. `millis` is that of `statementLimits`. */
export const answerLimit = (url: Redacted.Redacted<string>, millis: number): number =>
  millis === 0 || ownOptions(url).includes("statement_timeout")
    ? Math.max(unknownLimitMillis, millis + answerMillis)
    : millis + answerMillis

/** For long reads, which keep their own time. `millis` is that of short statements: with zero, no startup options are sent here either. */
export const analyticsSettings = (url: Redacted.Redacted<string>, millis: number): SessionSettings =>
  millis === 0 ? {} : settings(url, `${interpreted} ${nulls}`)
