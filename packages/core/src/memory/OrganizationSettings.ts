import { Effect } from "effect"
import { defaultOrganizationSettings, OrganizationSettings } from "../ports/workspaces.ts"
import type { Tables } from "./tables/Tables.ts"

export const organizationSettings = ({ organizationSettings: rows }: Tables) =>
  OrganizationSettings.of({
    of: (account_id) => Effect.sync(() => rows.get(account_id) ?? { id: account_id, ...defaultOrganizationSettings }),
    update: (account_id, change) =>
      Effect.sync(() => {
        const settings = { id: account_id, ...change }
        rows.set(account_id, settings)
        return settings
      })
  })
