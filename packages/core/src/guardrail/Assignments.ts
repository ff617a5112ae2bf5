/** Where it is remembered which guardrail is on which keys and on which members: one guardrail at most on each. */
import type { KeyAssignment, MemberAssignment } from "@gatewarden/contract"
import { Context, type Effect } from "effect"
import type { Page, PageRequest } from "../value/Page.ts"

/** The hash of a key or the id of a user, and the id that its assignment is to have. */
export interface Assignee {
  readonly name: string
  readonly id: string
}

export interface Assigning {
  readonly assigned_by: string | null
  readonly now: string
}

/**
 * `unknown`: some assignee does not exist in the account, `missing`: the guardrail does not (and every assignee does); nothing
 * was changed.
 */
export type Assigned = "assigned" | "unknown" | "missing"

/** Of one guardrail, or of all of the account. */
export interface AssignmentFilter {
  readonly guardrail_id?: string
}

export class Assignments extends Context.Service<
  Assignments,
  {
    /**
     * All or none: normal keys of the account that have not expired. Another guardrail of theirs is replaced, an assignment that
     * is there stays as it is.
     */
    readonly assignKeys: (
      account_id: string,
      guardrail_id: string,
      keys: readonly Assignee[],
      how: Assigning
    ) => Effect.Effect<Assigned>
    /** How many had this guardrail; the others are left alone. */
    readonly unassignKeys: (
      account_id: string,
      guardrail_id: string,
      hashes: readonly string[]
    ) => Effect.Effect<number | "missing">
    readonly listKeys: (
      account_id: string,
      filter: AssignmentFilter,
      page: PageRequest
    ) => Effect.Effect<Page<KeyAssignment>>
    /** As with keys: users whom a key or a membership of the account names. */
    readonly assignMembers: (
      account_id: string,
      guardrail_id: string,
      users: readonly Assignee[],
      how: Assigning
    ) => Effect.Effect<Assigned>
    readonly unassignMembers: (
      account_id: string,
      guardrail_id: string,
      users: readonly string[]
    ) => Effect.Effect<number | "missing">
    readonly listMembers: (
      account_id: string,
      filter: AssignmentFilter,
      page: PageRequest
    ) => Effect.Effect<Page<MemberAssignment>>
  }
>()("gatewarden/Assignments") {}
