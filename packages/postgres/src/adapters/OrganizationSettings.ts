import { OrganizationSettings, type SettingsChange, defaultOrganizationSettings } from "@gatewarden/core/internal"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { acts } from "../statements/acting.ts"
import { reading, retrying, writing } from "../statements/statements.ts"

export const organizationSettings = Effect.map(SqlClient.SqlClient, (sql) => {
  const shown = (account_id: string, [row]: readonly SettingsChange[]) => ({
    id: account_id,
    ...(row ?? defaultOrganizationSettings)
  })
  return OrganizationSettings.of({
    of: (account_id) =>
      reading(
        Effect.map(
          sql<SettingsChange>`
            select is_filtered_model_catalog_enabled from gatewarden_organization_settings where account_id = ${account_id}`,
          (rows) => shown(account_id, rows)
        )
      ),
    update: (account_id, change) =>
      writing(
        Effect.map(
          sql<SettingsChange>`
            ${acts.insert} into gatewarden_organization_settings ${sql.insert({ account_id, ...change })}
            on conflict (account_id) do update set
              is_filtered_model_catalog_enabled = excluded.is_filtered_model_catalog_enabled
            returning is_filtered_model_catalog_enabled`.pipe(retrying),
          (rows) => shown(account_id, rows)
        )
      )
  })
})
