import type { Caller } from "./Caller.ts"
import { Forbidden } from "../value/failure.ts"

/**
 * Refuses a caller that may not write what a request names: what all accounts share, or, with the parameter, what is the account's own.
 * The check of the query refuses other values of it. Rule: access#operator.
 */
export const keepToOperator = (caller: Caller, parameter: string, search: string): Forbidden | undefined => {
  if (!new URLSearchParams(search).has(parameter))
    return caller.is_operator ? undefined : new Forbidden({ reason: "operator_required" })
  return caller.kind === "gateway" ? new Forbidden({ reason: "management_key_required" }) : undefined
}
