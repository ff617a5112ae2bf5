/** Settings of accounts, a row for each account that set one (Rule: access#organization-settings). */
import { tenantPolicy } from "./tenantPolicy.ts"

export const organizationSettings = {
  id: 81,
  name: "organization_settings",
  sql: `
create table gatewarden_organization_settings (
  account_id uuid primary key,
  is_filtered_model_catalog_enabled boolean not null
);

create trigger gatewarden_organization_settings_recorded after insert or delete on gatewarden_organization_settings
  for each row execute function gatewarden_record_organization_settings();
create trigger gatewarden_organization_settings_rerecorded after update on gatewarden_organization_settings
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_organization_settings();

${tenantPolicy("gatewarden_organization_settings")}
`
} as const
