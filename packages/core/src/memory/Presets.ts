import type { Preset, PresetSummary, PresetVersion } from "@gatewarden/contract/internal"
import { Effect, Option } from "effect"
import { bytesOfVersion, newPreset } from "../preset/preset.ts"
import { Presets } from "../ports/presets.ts"
import { type Tables, ownWorkspace, pageOf } from "./tables/Tables.ts"

/** Within one store a workspace has one preset of a slug. */
const keyOf = (workspace_id: string, slug: string) => `${workspace_id} ${slug}`

/** The most recently updated first, then the greatest id. */
const byUpdate = (a: PresetSummary, b: PresetSummary): number => {
  const [one, other] = [`${b.updated_at} ${b.id}`, `${a.updated_at} ${a.id}`]
  return one < other ? -1 : one > other ? 1 : 0
}

export const presets = (tables: Tables) => {
  const own = (account_id: string, workspace_id: string, slug: string) =>
    ownWorkspace(tables, account_id, workspace_id) === undefined
      ? undefined
      : tables.presets.get(keyOf(workspace_id, slug))

  return Presets.of({
    append: (account_id, draft) =>
      Effect.sync(() => {
        const { workspace_id, slug, version_id, config, system_prompt, creator_id, now } = draft
        if (ownWorkspace(tables, account_id, workspace_id) === undefined) return Option.none()
        const known = own(account_id, workspace_id, slug)
        const versions = known?.versions ?? []
        if (versions.length >= draft.most_versions) return Option.none()
        const kept = [...tables.presets.values()]
          .filter(({ preset }) => preset.workspace_id === workspace_id)
          .flatMap((row) => row.versions)
        if ([...kept, draft].reduce((all, each) => all + bytesOfVersion(each), 0) > draft.most_bytes)
          return Option.none()
        const row: PresetSummary = known?.preset ?? newPreset(draft)
        const at = row.updated_at > now ? row.updated_at : now
        const version: PresetVersion = {
          id: version_id,
          preset_id: row.id,
          version: versions.length + 1,
          config,
          system_prompt,
          creator_id,
          created_at: at,
          updated_at: at
        }
        const { designated_of } = draft
        const isDesignated =
          known === undefined || designated_of === undefined || known.preset.creator_user_id === designated_of
        const preset: Preset = {
          ...row,
          designated_version_id: isDesignated ? version_id : known.preset.designated_version_id,
          designated_version: isDesignated ? version : known.preset.designated_version,
          updated_at: at
        }
        versions.push(version)
        tables.presets.set(keyOf(workspace_id, slug), { preset, versions })
        return Option.some(preset)
      }),
    find: (account_id, workspace_id, slug) =>
      Effect.sync(() => Option.fromUndefinedOr(own(account_id, workspace_id, slug)?.preset)),
    findVersion: (account_id, workspace_id, slug, version) =>
      Effect.sync(() => Option.fromUndefinedOr(own(account_id, workspace_id, slug)?.versions[version - 1])),
    designate: (account_id, workspace_id, slug, number, now) =>
      Effect.sync(() => {
        const known = own(account_id, workspace_id, slug)
        const version = known?.versions[number - 1]
        if (known === undefined || version === undefined) return Option.none()
        const { preset, versions } = known
        if (preset.designated_version_id === version.id) return Option.some(preset)
        const next: Preset = {
          ...preset,
          designated_version_id: version.id,
          designated_version: version,
          updated_at: preset.updated_at > now ? preset.updated_at : now
        }
        tables.presets.set(keyOf(workspace_id, slug), { preset: next, versions })
        return Option.some(next)
      }),
    list: (account_id, workspace_id, page) =>
      Effect.sync(() => {
        const rows = tables.presets
          .ofAccount(account_id)
          .flatMap(({ preset: { designated_version: _, ...row } }) => (row.workspace_id === workspace_id ? [row] : []))
        return pageOf(rows, page, byUpdate)
      }),
    listVersions: (account_id, workspace_id, slug, { limit, offset }) =>
      Effect.sync(() =>
        Option.map(Option.fromUndefinedOr(own(account_id, workspace_id, slug)), ({ versions }) => ({
          data: versions.slice(offset, offset + limit),
          total_count: versions.length
        }))
      )
  })
}
