import { Redacted } from "effect"

/** Those that wait for one lock may stand behind each other on one connection, where their waits add up. */
const longestLockWait = 5_000

/** A transaction reads what others committed while it waited for them. Roles and databases may begin theirs with another view. */
const isolation = "-c default_transaction_isolation=read\\ committed"

/**
 * How long the server lets a short statement run and wait for a lock, as startup options, of which the last counts: those of the URL.
 * Statements that share a connection wait for the slowest of them, and one that its client has given up runs on: what hangs must
 * end by itself.
 */
export const statementLimits = (
  url: Redacted.Redacted<string>,
  millis: number
): { readonly startupOptions?: string } => {
  if (millis === 0) return {}
  const text = Redacted.value(url)
  const own = URL.canParse(text) ? (new URL(text).searchParams.get("options") ?? "") : ""
  const ours = `-c statement_timeout=${millis} -c lock_timeout=${Math.min(millis, longestLockWait)} ${isolation}`
  return { startupOptions: `${ours} ${own}`.trim() }
}
