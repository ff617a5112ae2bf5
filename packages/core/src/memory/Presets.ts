import type { Preset, PresetVersion } from "@gatewarden/contract"
import { Effect, Option } from "effect"
import { newPreset, type PresetRow } from "../preset/newPreset.ts"
import { Presets } from "../preset/Presets.ts"
import { ownWorkspace, type Tables } from "./tables/Tables.ts"

/** Within one store a workspace has one preset of a slug. */
const keyOf = (workspace_id: string, slug: string) => `${workspace_id} ${slug}`

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
        const row: PresetRow = known?.preset ?? newPreset(draft)
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
        const preset: Preset = {
          ...row,
          designated_version_id: version_id,
          designated_version: version,
          updated_at: at
        }
        versions.push(version)
        tables.presets.set(keyOf(workspace_id, slug), { preset, versions })
        return Option.some(preset)
      }),
    find: (account_id, workspace_id, slug) =>
      Effect.sync(() => Option.fromUndefinedOr(own(account_id, workspace_id, slug)?.preset)),
    findVersion: (account_id, workspace_id, slug, version) =>
      Effect.sync(() => Option.fromUndefinedOr(own(account_id, workspace_id, slug)?.versions[version - 1]))
  })
}
