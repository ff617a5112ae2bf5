import type { KeyAssignment, MemberAssignment } from "@gatewarden/contract"
import {
  type Assignee,
  type Assigning,
  type AssignmentFilter,
  Assignments,
  type GuardrailsAsked
} from "@gatewarden/core/store"
import { Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { acts } from "../statements/acting.ts"
import { arrayLiteral } from "../statements/literals.ts"
import { type Listed, readPage } from "../statements/readPage.ts"
import { type Columns, timestampOf } from "../statements/rows.ts"
import { reading, retrying, writing } from "../statements/statements.ts"
import type { ListedKind } from "../statements/keptCount.ts"

/** Where assignments of one kind are: the table, its column that names the assignee, what is unique in it, and as what they are counted. */
interface Kind {
  readonly table: string
  readonly name: string
  readonly unique: Statement.Fragment
  readonly counted: ListedKind
  /** Selects the assignees that lie in one of the workspaces, or that something there names. */
  readonly within: (workspace_ids: Statement.Fragment) => Statement.Fragment
}

const keyAssignmentOf = (columns: Columns): KeyAssignment => {
  const row = columns as unknown as KeyAssignment
  return {
    id: row.id,
    guardrail_id: row.guardrail_id,
    key_hash: row.key_hash,
    key_name: row.key_name,
    key_label: row.key_label,
    assigned_by: row.assigned_by,
    created_at: timestampOf(columns["created_at"])
  }
}

const memberAssignmentOf = (columns: Columns): MemberAssignment => {
  const row = columns as unknown as MemberAssignment
  return {
    id: row.id,
    guardrail_id: row.guardrail_id,
    user_id: row.user_id,
    organization_id: columns["account_id"] as string,
    assigned_by: row.assigned_by,
    created_at: timestampOf(columns["created_at"])
  }
}

export const assignments = Effect.map(SqlClient.SqlClient, (sql) => {
  const keys: Kind = {
    table: "gatewarden_guardrail_key",
    name: "key_hash",
    unique: sql`key_hash`,
    counted: "key_assignment",
    within: (workspace_ids) => sql`exists (
      select from gatewarden_api_key key
      where key.hash = gatewarden_guardrail_key.key_hash and key.workspace_id = any(${workspace_ids}))`
  }
  const members: Kind = {
    table: "gatewarden_guardrail_member",
    name: "user_id",
    unique: sql`account_id, user_id`,
    counted: "member_assignment",
    within: (workspace_ids) => sql`(
      exists (
        select from gatewarden_api_key key
        where key.account_id = gatewarden_guardrail_member.account_id
          and key.user_id = gatewarden_guardrail_member.user_id and key.workspace_id = any(${workspace_ids}))
      or exists (
        select from gatewarden_workspace_member member
        where member.account_id = gatewarden_guardrail_member.account_id
          and member.user_id = gatewarden_guardrail_member.user_id and member.workspace_id = any(${workspace_ids})))`
  }

  const target = (account_id: string, guardrail_id: string) =>
    sql`target as materialized (
      select id from gatewarden_guardrail where id = ${guardrail_id} and account_id = ${account_id} for key share)`

  /** One statement, so all or none; `usable` gives those of `named` that exist, held until the end where they could go. */
  const assign = (
    { table, name, unique }: Kind,
    account_id: string,
    guardrail_id: string,
    assignees: readonly Assignee[],
    { assigned_by, now }: Assigning,
    usable: Statement.Fragment
  ) =>
    writing(
      Effect.map(
        sql`
          ${acts.with} ${target(account_id, guardrail_id)}, named as materialized (
            select * from unnest(
              ${arrayLiteral(assignees.map((one) => one.name))}::text[],
              ${arrayLiteral(assignees.map((one) => one.id))}::uuid[]
            ) as named (name, id)
          ), usable as materialized (${usable}), verdict as materialized (
            select (select count(*) from usable) = (select count(*) from named) as known
          ), written as (
            insert into ${sql(table)} as held (account_id, ${sql(name)}, id, guardrail_id, assigned_by, created_at)
            select ${account_id}::uuid, usable.name, usable.id, target.id, ${assigned_by}::text, ${now}::timestamptz
            from usable, target, verdict where verdict.known order by usable.name collate "C"
            on conflict (${unique}) do update set id = excluded.id, guardrail_id = excluded.guardrail_id,
              assigned_by = excluded.assigned_by, created_at = excluded.created_at
            where held.guardrail_id <> excluded.guardrail_id
          )
          select known, exists (select from target) as found from verdict`.pipe(retrying),
        ([row]) => (row?.["known"] !== true ? "unknown" : row["found"] === true ? "assigned" : "missing")
      )
    )

  /** Rows are locked in the order in which they are written above. */
  const unassign = ({ table, name }: Kind, account_id: string, guardrail_id: string, names: readonly string[]) =>
    writing(
      Effect.map(
        sql`
          ${acts.with} ${target(account_id, guardrail_id)}, held as materialized (
            select id from ${sql(table)}
            where account_id = ${account_id} and guardrail_id = ${guardrail_id}
              and ${sql(name)} = any(${arrayLiteral(names)}::text[])
            order by ${sql(name)} for update
          ), removed as (
            delete from ${sql(table)} where id in (select id from held) returning id
          )
          select exists (select from target) as found, (select count(*) from removed) as removed`.pipe(retrying),
        ([row]) => (row?.["found"] === true ? Number(row["removed"]) : "missing")
      )
    )

  const uuids = (ids: readonly string[]) => sql`${arrayLiteral(ids)}::uuid[]`

  const listed = (
    { table, counted, within }: Kind,
    account_id: string,
    { guardrail_id, workspace_ids }: AssignmentFilter
  ): Listed => ({
    table,
    id: "id",
    where: sql.and([
      sql`account_id = ${account_id}`,
      ...(guardrail_id === undefined ? [] : [sql`guardrail_id = ${guardrail_id}`]),
      ...(workspace_ids === undefined ? [] : [within(uuids(workspace_ids))])
    ]),
    kept: workspace_ids === undefined ? { account_id, kind: counted, owner: guardrail_id } : "counts each"
  })

  const asked = (account_id: string, guardrails: GuardrailsAsked) => sql`
    select id from gatewarden_guardrail
    where account_id = ${account_id} and ${
      "guardrail_id" in guardrails
        ? sql`id = ${guardrails.guardrail_id}`
        : sql`workspace_id = ${guardrails.workspace_id}`
    }`

  const ofKeys = {
    columns: sql`, key.name as key_name, key.label as key_label`,
    join: sql`left join gatewarden_api_key key on key.hash = held.key_hash`
  }

  return Assignments.of({
    assignKeys: (account_id, guardrail_id, assignees, how) =>
      assign(
        keys,
        account_id,
        guardrail_id,
        assignees,
        how,
        sql`
          select named.* from named join gatewarden_api_key key on key.hash = named.name
          where key.account_id = ${account_id} and key.kind = 'normal'
            and (key.expires_at is null or key.expires_at > ${how.now})
          for key share of key`
      ),
    unassignKeys: (account_id, guardrail_id, hashes) => unassign(keys, account_id, guardrail_id, hashes),
    listKeys: (account_id, filter, page) =>
      reading(readPage(sql, listed(keys, account_id, filter), page, keyAssignmentOf, ofKeys)),
    assignMembers: (account_id, guardrail_id, assignees, how) =>
      assign(
        members,
        account_id,
        guardrail_id,
        assignees,
        how,
        sql`
          select * from named where
            exists (select from gatewarden_api_key key where key.account_id = ${account_id} and key.user_id = named.name)
            or exists (
              select from gatewarden_workspace_member member
              where member.account_id = ${account_id} and member.user_id = named.name)`
      ),
    unassignMembers: (account_id, guardrail_id, users) => unassign(members, account_id, guardrail_id, users),
    listMembers: (account_id, filter, page) =>
      reading(readPage(sql, listed(members, account_id, filter), page, memberAssignmentOf)),
    appliesBeyond: (account_id, guardrails, workspace_ids) =>
      reading(
        Effect.map(
          sql`
            with asked as materialized (${asked(account_id, guardrails)})
            select exists (
              select from gatewarden_guardrail_member held join asked on asked.id = held.guardrail_id
              where held.account_id = ${account_id}
            ) as members, exists (
              select from gatewarden_guardrail_key held join asked on asked.id = held.guardrail_id
                join gatewarden_api_key key on key.hash = held.key_hash
              where held.account_id = ${account_id} and (key.workspace_id = any(${uuids(workspace_ids)})) is not true
            ) as keys`,
          ([row]) => (row?.["members"] === true ? "members" : row?.["keys"] === true ? "keys" : undefined)
        )
      ),
    keysGovernedElsewhere: (account_id, hashes, workspace_ids) =>
      reading(
        Effect.map(
          sql`
            select named.hash from unnest(${arrayLiteral(hashes)}::text[]) with ordinality as named (hash, place)
              join gatewarden_guardrail_key held on held.key_hash = named.hash
              join gatewarden_guardrail guardrail on guardrail.id = held.guardrail_id
            where held.account_id = ${account_id} and (guardrail.workspace_id = any(${uuids(workspace_ids)})) is not true
            order by named.place`,
          (rows) => rows.map((row) => row["hash"] as string)
        )
      )
  })
})
