/** The settings of accounts. */
import type { OrganizationSettings as Settings } from "@gatewarden/contract"
import { Context, type Effect } from "effect"

/** What an account may set. */
export type SettingsChange = Omit<Settings, "id">

/** The settings of an account that never set any. */
export const defaultOrganizationSettings: SettingsChange = { is_filtered_model_catalog_enabled: false }

export class OrganizationSettings extends Context.Service<
  OrganizationSettings,
  {
    /** The defaults where nothing was set. */
    readonly of: (account_id: string) => Effect.Effect<Settings>
    readonly update: (account_id: string, change: SettingsChange) => Effect.Effect<Settings>
  }
>()("gatewarden/OrganizationSettings") {}
