/** Which guardrail applies to which keys and members: at most one to each. */
import type { KeyAssignment, MemberAssignment } from "@gatewarden/contract"
import { Context, type Effect } from "effect"
import type { Page, PageRequest } from "../value/Page.ts"

/** The hash of a key or the id of a user, and the id for its assignment. */
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
     * All or none, of API keys of the account that have not expired. Replaces another guardrail of a key; leaves an existing assignment
     * unchanged.
     */
    readonly assignKeys: (
      account_id: string,
      guardrail_id: string,
      keys: readonly Assignee[],
      how: Assigning
    ) => Effect.Effect<Assigned>
    /** The number of assignees that had this guardrail; others are unchanged. */
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
