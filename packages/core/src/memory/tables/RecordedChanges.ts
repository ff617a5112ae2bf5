/** The stream of changes of the in-memory store: rows in the order in which they were made, each with who was acting. */
import type { Action } from "@gatewarden/contract/internal"
import { Clock, Context, Fiber } from "effect"
import { Acts } from "../../ports/acting.ts"
import type { AuditEntry, Facts } from "../../ports/auditLog.ts"
import type { Change } from "../../ports/changeLog.ts"
import { auditedFacts } from "../../audit/auditedFacts.ts"

/** The place of a change in the chain of its account, and the hash up to there. */
export type Seal = Pick<AuditEntry, "position" | "hash">

export interface RecordedChange {
  /** From 1, in the order in which they were made. */
  readonly seq: number
  readonly change: Change
  readonly entry: Omit<AuditEntry, "position" | "hash">
}

/** The same row since it was sealed. */
export type SealedChange = RecordedChange & { readonly seal: Seal }

/** The sealed changes of an account, by position without gaps. */
export interface AuditChain {
  readonly rows: SealedChange[]
  /** Of the last change that was pruned: where the chain begins. */
  pruned: Seal | undefined
  /** Of an end of it (`signEnds`). */
  signature: Uint8Array | null
  isSigned: boolean
}

const actionOf = ({ noun }: Change, before: Facts | undefined, after: Facts | undefined): Action => {
  if (noun === "catalog") return "update"
  const isAssignment = noun === "key_assignment" || noun === "member_assignment"
  if (after === undefined) return isAssignment ? "unassign" : "delete"
  return isAssignment ? "assign" : before === undefined ? "create" : "update"
}

export class RecordedChanges {
  readonly rows: RecordedChange[] = []
  /** Those that are not sealed, which are few, however long the history is. */
  readonly open = new Set<RecordedChange>()
  /** How many were ever recorded. */
  count = 0

  /** What is recorded of a write: everything, that something was written, or nothing. */
  #mode: "values" | "names" | "nothing" = "values"

  /** Runs the synchronous writes of an erasure, of whose values nothing is recorded. */
  without(what: "values" | "everything", write: () => void): void {
    const before = this.#mode
    this.#mode = what === "values" ? "names" : "nothing"
    try {
      write()
    } finally {
      this.#mode = before
    }
  }

  /** In the synchronous step of the write, whose fiber knows who acts. */
  record(change: Change, before: Facts | undefined, after: Facts | undefined): void {
    if (this.#mode === "nothing") return
    const context = Fiber.getCurrent()?.context ?? Context.empty()
    const acts = Context.get(context, Acts)
    const acting = acts === undefined || "each" in acts ? undefined : acts
    const { noun, id, workspace_id } = change
    const row: RecordedChange = {
      seq: ++this.count,
      change,
      entry: {
        at: acting?.at ?? new Date(Context.get(context, Clock.Clock).currentTimeMillisUnsafe()).toISOString(),
        noun,
        action: actionOf(change, before, after),
        entity: id,
        workspace_id,
        actor: acting?.actor ?? { type: "database", id: null },
        operation: acting?.operation ?? null,
        request_id: acting?.request_id ?? null,
        before: before === undefined || this.#mode === "names" ? null : auditedFacts(noun, before),
        after: after === undefined || this.#mode === "names" ? null : auditedFacts(noun, after)
      }
    }
    this.rows.push(row)
    this.open.add(row)
  }
}
