import * as fc from "fast-check"
import { type Command, command } from "../modelBased/Command.ts"

const usual = command("getAuditLog", {
  weight: 1,
  query: {
    noun: fc.constantFrom("destination", "workspace_budget", "guardrail"),
    operation: fc.constantFrom("createDestination", "putWorkspaceBudget", "updateGuardrail"),
    entity: fc.constantFrom("monthly", "daily"),
    actor: fc.constantFrom("app", "operator"),
    cursor: fc.constantFrom("1", "0", "x"),
    from: fc.constantFrom("2026-01-01T00:00:00Z", "2026-13-01T00:00:00Z"),
    to: fc.constantFrom("2030-01-01T00:00:00Z", "soon")
  }
})

/** Always of one noun: what a deletion takes with it is recorded in an order of the store's own. */
export const getAuditLog: Command = {
  ...usual,
  call: usual.call.map((call) => ({ ...call, query: { noun: "destination", ...call.query } })),
  readAll: []
}
