/** Where presets and their versions are remembered. */
import type { Preset, PresetVersion } from "@gatewarden/contract"
import { Context, type Effect, type Option } from "effect"

/** A version before it has a number, and what a preset needs that is made for it. */
export interface PresetDraft extends Pick<PresetVersion, "config" | "system_prompt" | "creator_id"> {
  readonly workspace_id: string
  readonly slug: string
  /** The id of the preset, if none has the slug yet. */
  readonly new_preset_id: string
  readonly version_id: string
  /** A preset that has as many versions gets no other. */
  readonly most_versions: number
  readonly now: string
}

export class Presets extends Context.Service<
  Presets,
  {
    /**
     * Appends the next version and designates it; makes the preset when the workspace has none of this slug. Of any number
     * at once none fails, and numbers are given without gap. Times never go back from one version to the next.
     * None when the workspace does not exist (any more), or the preset has `most_versions` versions.
     */
    readonly append: (account_id: string, draft: PresetDraft) => Effect.Effect<Option.Option<Preset>>
    readonly find: (account_id: string, workspace_id: string, slug: string) => Effect.Effect<Option.Option<Preset>>
    readonly findVersion: (
      account_id: string,
      workspace_id: string,
      slug: string,
      version: number
    ) => Effect.Effect<Option.Option<PresetVersion>>
  }
>()("gatewarden/Presets") {}
