import type { Preset, PresetSummary, PresetVersion } from "@gatewarden/contract/internal"
import { type PresetDraft, Presets, bytesOfVersion, maxPageBytes, newPreset } from "@gatewarden/core/internal"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { acts } from "../statements/acting.ts"
import { readPage } from "../statements/readPage.ts"
import { type Columns, fromRow, instantOf, timestampOf } from "../statements/rows.ts"
import { reading, writing } from "../statements/statements.ts"

/** Columns of a preset, and those of its version behind a prefix. */
const presetOf = (columns: Columns): Preset => {
  const row: Record<string, unknown> = {}
  const version: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(columns))
    if (name.startsWith("version_")) version[name.slice("version_".length)] = value
    else row[name] = value
  return { ...fromRow<PresetSummary>(row), designated_version: fromRow<PresetVersion>(version) }
}

const summaryOf = (columns: Columns): PresetSummary => {
  const row = columns as unknown as PresetSummary
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    slug: row.slug,
    name: row.name,
    description: row.description,
    status: row.status,
    status_updated_at: instantOf(columns["status_updated_at"]),
    creator_user_id: row.creator_user_id,
    designated_version_id: row.designated_version_id,
    created_at: timestampOf(columns["created_at"]),
    updated_at: timestampOf(columns["updated_at"])
  }
}

/** Values of `jsonb` up to so many bytes, as they lie in the table, count as nothing: a page of them is small. */
const jsonbUnread = 2_000

export const presets = Effect.map(SqlClient.SqlClient, (sql) => {
  const shown = sql`
    preset.id, preset.workspace_id, preset.name, preset.slug, preset.description, preset.status, preset.status_updated_at,
    preset.creator_user_id, preset.designated_version_id, preset.created_at, preset.updated_at,
    version.id as version_id, version.preset_id as version_preset_id, version.version as version_version,
    version.config as version_config, version.system_prompt as version_system_prompt,
    version.creator_id as version_creator_id, version.created_at as version_created_at,
    version.updated_at as version_updated_at`
  const named = (account_id: string, workspace_id: string, slug: string) =>
    sql`preset.account_id = ${account_id} and preset.workspace_id = ${workspace_id} and preset.slug = ${slug}`

  const find = (account_id: string, workspace_id: string, slug: string) =>
    reading(
      Effect.map(
        sql`
            select ${shown} from gatewarden_preset preset
            join gatewarden_preset_version version on version.id = preset.designated_version_id
            where ${named(account_id, workspace_id, slug)}`,
        (rows) => Option.map(Option.fromUndefinedOr(rows[0]), presetOf)
      )
    )

  const append = (account_id: string, draft: PresetDraft) => {
    const { id, workspace_id, name, slug, status, creator_user_id, designated_version_id, created_at } =
      newPreset(draft)
    // One statement: whoever comes second waits for the workspace's row, and counts on from what it finds there.
    return sql`
      ${acts.with} room as materialized (
        select gatewarden_has_room_for_preset(${account_id}::uuid, ${workspace_id}::uuid, ${bytesOfVersion(draft)}::bigint,
          ${draft.most_bytes}::bigint) as is_there
      ), preset as (
        insert into gatewarden_preset as known (
          id, account_id, workspace_id, name, slug, status, creator_user_id, designated_version_id, created_at, updated_at,
          last_version
        )
        select ${id}::uuid, ${account_id}::uuid, ${workspace_id}::uuid, ${name}, ${slug}, ${status}, ${creator_user_id},
          ${designated_version_id}::uuid, ${created_at}::timestamptz, ${created_at}::timestamptz, 1
        from room where is_there
        on conflict (workspace_id, slug) do update set
          last_version = known.last_version + 1,
          designated_version_id = case
            when ${draft.designated_of === undefined}::boolean or known.creator_user_id = ${draft.designated_of ?? null}::text
            then excluded.designated_version_id else known.designated_version_id end,
          updated_at = greatest(known.updated_at, excluded.updated_at)
        where known.account_id = excluded.account_id and known.last_version < ${draft.most_versions}
        returning *
      ), version as (
        insert into gatewarden_preset_version
          (id, preset_id, version, config, system_prompt, creator_id, created_at, updated_at)
        select ${draft.version_id}::uuid, id, last_version, ${JSON.stringify(draft.config)}::json,
          ${draft.system_prompt}::text, ${draft.creator_id}::text, updated_at, updated_at
        from preset
        returning *
      )
      select ${shown} from preset join version on version.preset_id = preset.id`
  }

  return Presets.of({
    append: (account_id, draft) =>
      writing(
        Effect.flatMap(append(account_id, draft), ([row]) => {
          if (row === undefined) return Effect.succeed(Option.none<Preset>())
          const preset = presetOf(row)
          // The statement need not see the row of a version that it leaves designated.
          return preset.designated_version_id === preset.designated_version.id
            ? Effect.succeed(Option.some(preset))
            : find(account_id, draft.workspace_id, draft.slug)
        })
      ),
    find,
    findVersion: (account_id, workspace_id, slug, number) =>
      reading(
        Effect.map(
          sql`
            select version.* from gatewarden_preset preset
            join gatewarden_preset_version version on version.preset_id = preset.id
            where ${named(account_id, workspace_id, slug)} and version.version = ${number}`,
          (rows) => Option.map(Option.fromUndefinedOr(rows[0]), (columns) => fromRow<PresetVersion>(columns))
        )
      ),
    designate: (account_id, workspace_id, slug, number, now) =>
      writing(
        Effect.map(
          sql`
            ${acts.update} gatewarden_preset preset set
              designated_version_id = version.id,
              updated_at = case when preset.designated_version_id = version.id then preset.updated_at
                else greatest(preset.updated_at, ${now}::timestamptz) end
            from gatewarden_preset_version version
            where ${named(account_id, workspace_id, slug)} and version.preset_id = preset.id and version.version = ${number}
            returning ${shown}`,
          (rows) => Option.map(Option.fromUndefinedOr(rows[0]), presetOf)
        )
      ),
    list: (account_id, workspace_id, page) =>
      reading(
        readPage(
          sql,
          {
            table: "gatewarden_preset",
            id: "id",
            where: sql`account_id = ${account_id} and workspace_id = ${workspace_id}`,
            kept: { account_id, kind: "preset", owner: workspace_id },
            order: "latestUpdateFirst"
          },
          page,
          summaryOf
        )
      ),
    listVersions: (account_id, workspace_id, slug, { limit, offset }) =>
      reading(
        Effect.map(
          // Numbers have no gap, so a page is a range of them, and the last one is how many there are. At least one version is read.
          sql`
            select * from (
              select preset.last_version, version.*, sum(
                octet_length(version.system_prompt) + case when pg_column_size(version.config) > ${jsonbUnread}
                  then octet_length(version.config::text) else 0 end
              ) over (order by version.version) as so_far
              from gatewarden_preset preset
              left join gatewarden_preset_version version on version.preset_id = preset.id
                and version.version > ${offset}::bigint and version.version <= ${offset}::bigint + ${limit}::bigint
              where ${named(account_id, workspace_id, slug)}
            ) page
            where so_far is null or so_far <= ${maxPageBytes}::bigint or version = ${offset}::bigint + 1
            order by version`,
          (rows) => {
            const last = rows[0]?.["last_version"]
            if (last === undefined) return Option.none()
            const data = rows.flatMap(({ last_version: _, so_far: __, ...columns }) =>
              columns["id"] === null ? [] : [fromRow<PresetVersion>(columns)]
            )
            return Option.some({ data, total_count: Number(last) })
          }
        )
      )
  })
})
