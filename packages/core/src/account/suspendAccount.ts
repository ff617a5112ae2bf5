/**
 * Suspends or resumes an account. While an account is suspended, every key of it is refused with 401 `account_suspended`, also by data
 * planes, and nothing of it is deleted. Applies at once on this process and within two seconds on every other
 * (Rule: access#changes-take-effect).
 *
 * Spending from before is still recorded: open admissions can be settled with a gateway key or in process.
 */
import { Effect, Option } from "effect"
import { type Account, Accounts, defaultAccountName } from "../ports/accounts.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/timestamp.ts"

/** `operator`: the account `default` operates the installation and cannot be suspended. `missing`: there is no such account. */
export type Suspension = Account | "operator" | "missing"

const change = Effect.fnUntraced(function* (name: string, suspended_at: string | null) {
  if (name === defaultAccountName) return "operator" as const
  const changed = Option.getOrUndefined(yield* (yield* Accounts).setSuspended(name, suspended_at))
  if (changed === undefined) return "missing" as const
  return changed
})

export const suspendAccount = operation("suspendAccount")(function* (name: string) {
  return (yield* change(name, yield* timestamp)) satisfies Suspension
})

export const resumeAccount = operation("resumeAccount")(function* (name: string) {
  return (yield* change(name, null)) satisfies Suspension
})
