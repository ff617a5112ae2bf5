import type { KeyAssignment, MemberAssignment } from "@gatewarden/contract"
import { Effect } from "effect"
import {
  type Assignee,
  Assignments,
  type Assigning,
  type AssignmentFilter,
  type GuardrailsAsked
} from "../ports/guardrails.ts"
import { type GuardrailAssignment, type Tables, memberPlace, pageOf } from "./tables/Tables.ts"

export const assignments = (tables: Tables) => {
  const isGuardrail = (account_id: string, id: string) => tables.guardrails.get(id)?.account_id === account_id
  const isKey = (account_id: string, hash: string, now: string) => {
    const key = tables.apiKeys.get(hash)
    return key?.account_id === account_id && key.kind === "normal" && (key.expires_at === null || key.expires_at > now)
  }
  const isUser = (account_id: string, user_id: string, workspace_ids?: readonly string[]) =>
    [...tables.apiKeys.ofAccount(account_id), ...tables.workspaceMembers.ofAccount(account_id)].some(
      (row) => row.user_id === user_id && isWithin(workspace_ids, row.workspace_id)
    )
  const isWithin = (workspace_ids: readonly string[] | undefined, workspace_id: string | null) =>
    workspace_ids === undefined || (workspace_id !== null && workspace_ids.includes(workspace_id))

  /** Whether a row is of one of the guardrails. */
  const isAsked = (account_id: string, guardrails: GuardrailsAsked, { guardrail_id }: GuardrailAssignment) =>
    isGuardrail(account_id, guardrail_id) &&
    ("guardrail_id" in guardrails
      ? guardrails.guardrail_id === guardrail_id
      : guardrails.workspace_id === tables.guardrails.get(guardrail_id)?.workspace_id)

  /** `exists` judges a name, `put` gives it the guardrail. */
  const assign = (
    account_id: string,
    guardrail_id: string,
    assignees: readonly Assignee[],
    exists: (name: string) => boolean,
    put: (name: string, id: string) => void
  ) => {
    if (!assignees.every(({ name }) => exists(name))) return "unknown"
    if (!isGuardrail(account_id, guardrail_id)) return "missing"
    for (const { name, id } of assignees) put(name, id)
    return "assigned"
  }

  /** What is there stays when it is what is asked for. */
  const put = <A extends GuardrailAssignment>(rows: Map<string, A>, place: string, assignment: A) => {
    if (rows.get(place)?.guardrail_id !== assignment.guardrail_id) rows.set(place, assignment)
  }

  const unassign = (
    account_id: string,
    guardrail_id: string,
    rows: Map<string, GuardrailAssignment>,
    places: readonly string[]
  ) => {
    if (!isGuardrail(account_id, guardrail_id)) return "missing"
    return places.filter((place) => rows.get(place)?.guardrail_id === guardrail_id && rows.delete(place)).length
  }

  const isMeant = ({ guardrail_id }: AssignmentFilter, row: GuardrailAssignment) =>
    guardrail_id === undefined || row.guardrail_id === guardrail_id

  const made = (guardrail_id: string, id: string, { assigned_by, now }: Assigning): GuardrailAssignment => ({
    id,
    guardrail_id,
    assigned_by,
    created_at: now
  })

  return Assignments.of({
    assignKeys: (account_id, guardrail_id, keys, how) =>
      Effect.sync(() =>
        assign(
          account_id,
          guardrail_id,
          keys,
          (hash) => isKey(account_id, hash, how.now),
          (hash, id) => put(tables.guardrailOfKey, hash, made(guardrail_id, id, how))
        )
      ),
    unassignKeys: (account_id, guardrail_id, hashes) =>
      Effect.sync(() => unassign(account_id, guardrail_id, tables.guardrailOfKey, hashes)),
    listKeys: (account_id, filter, page) =>
      Effect.sync(() => {
        const rows = [...tables.guardrailOfKey].flatMap(([key_hash, row]): readonly KeyAssignment[] => {
          const key = tables.apiKeys.get(key_hash)
          if (key?.account_id !== account_id || !isMeant(filter, row)) return []
          if (!isWithin(filter.workspace_ids, key.workspace_id)) return []
          return [{ ...row, key_hash, key_name: key.name, key_label: key.label }]
        })
        return pageOf(rows, page)
      }),
    assignMembers: (account_id, guardrail_id, users, how) =>
      Effect.sync(() =>
        assign(
          account_id,
          guardrail_id,
          users,
          (user_id) => isUser(account_id, user_id),
          (user_id, id) =>
            put(tables.guardrailOfMember, memberPlace(account_id, user_id), {
              ...made(guardrail_id, id, how),
              account_id,
              user_id
            })
        )
      ),
    unassignMembers: (account_id, guardrail_id, users) =>
      Effect.sync(() => {
        const places = users.map((user_id) => memberPlace(account_id, user_id))
        return unassign(account_id, guardrail_id, tables.guardrailOfMember, places)
      }),
    listMembers: (account_id, filter, page) =>
      Effect.sync(() => {
        const { workspace_ids } = filter
        const rows = tables.guardrailOfMember
          .ofAccount(account_id)
          .filter((row) => isMeant(filter, row))
          .filter(({ user_id }) => workspace_ids === undefined || isUser(account_id, user_id, workspace_ids))
        return pageOf(
          rows.map(({ account_id: organization_id, ...row }): MemberAssignment => ({ ...row, organization_id })),
          page
        )
      }),
    appliesBeyond: (account_id, guardrails, workspace_ids) =>
      Effect.sync(() => {
        const members = tables.guardrailOfMember.ofAccount(account_id)
        if (members.some((row) => isAsked(account_id, guardrails, row))) return "members"
        const keys = [...tables.guardrailOfKey].filter(([, row]) => isAsked(account_id, guardrails, row))
        return keys.some(([hash]) => !isWithin(workspace_ids, tables.apiKeys.get(hash)?.workspace_id ?? null))
          ? "keys"
          : undefined
      }),
    keysGovernedElsewhere: (account_id, hashes, workspace_ids) =>
      Effect.sync(() =>
        hashes.filter((hash) => {
          const row = tables.guardrailOfKey.get(hash)
          return (
            row !== undefined &&
            isGuardrail(account_id, row.guardrail_id) &&
            !isWithin(workspace_ids, tables.guardrails.get(row.guardrail_id)?.workspace_id ?? null)
          )
        })
      )
  })
}
