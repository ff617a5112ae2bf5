/** The presets and their versions. */
import type { Preset, PresetSummary, PresetVersion } from "@gatewarden/contract/internal"
import { Context, type Effect, type Option } from "effect"
import type { Page, PageRequest } from "../value/Page.ts"

/** A version without its number, and the data for a new preset. */
export interface PresetDraft extends Pick<PresetVersion, "config" | "system_prompt" | "creator_id"> {
  readonly workspace_id: string
  readonly slug: string
  /** The id for a new preset, if the slug is new. */
  readonly new_preset_id: string
  readonly version_id: string
  /**
   * The version is designated if the preset has this creator; `undefined`: always, `null`: never. The first version of a preset always is.
   */
  readonly designated_of: string | null | undefined
  /** The maximum number of versions of a preset. */
  readonly most_versions: number
  /** The maximum number of bytes of all versions of a workspace, as `StoredAmounts` counts them. */
  readonly most_bytes: number
  readonly now: string
}

export class Presets extends Context.Service<
  Presets,
  {
    /**
     * Appends the next version and makes it the designated one (`designated_of`); creates the preset if the slug is new. Concurrent calls all succeed, and
     * numbers have no gaps. The times of versions never decrease.
     * None when the workspace does not exist (any more), the preset has `most_versions` versions, or the workspace has no room for this one.
     */
    readonly append: (account_id: string, draft: PresetDraft) => Effect.Effect<Option.Option<Preset>>
    readonly find: (account_id: string, workspace_id: string, slug: string) => Effect.Effect<Option.Option<Preset>>
    readonly findVersion: (
      account_id: string,
      workspace_id: string,
      slug: string,
      version: number
    ) => Effect.Effect<Option.Option<PresetVersion>>
    /**
     * Makes a version the designated one; `updated_at` becomes `now`, or stays if it is later, if and only if it was not designated before.
     * None when there is no such version.
     */
    readonly designate: (
      account_id: string,
      workspace_id: string,
      slug: string,
      version: number,
      now: string
    ) => Effect.Effect<Option.Option<Preset>>
    /** The most recently updated first; those of one instant by id, the last first. */
    readonly list: (account_id: string, workspace_id: string, page: PageRequest) => Effect.Effect<Page<PresetSummary>>
    /** From the first on. None when there is no such preset. */
    readonly listVersions: (
      account_id: string,
      workspace_id: string,
      slug: string,
      page: PageRequest
    ) => Effect.Effect<Option.Option<Page<PresetVersion>>>
  }
>()("gatewarden/Presets") {}
