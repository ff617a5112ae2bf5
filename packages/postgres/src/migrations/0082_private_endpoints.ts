/** Providers and endpoints that one account alone sees (Rule: models#private-endpoints, models#private-providers). */
import { tenantPolicy } from "./tenantPolicy.ts"

const recorded = (table: string): string => `
create trigger gatewarden_${table}_recorded after insert or delete on gatewarden_${table}
  for each row execute function gatewarden_record_${table}();
create trigger gatewarden_${table}_rerecorded after update on gatewarden_${table}
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_${table}();

${tenantPolicy(`gatewarden_${table}`)}
`

export const privateEndpoints = {
  id: 82,
  name: "private_endpoints",
  sql: `
create table gatewarden_private_provider (
  account_id uuid not null,
  slug text collate "C" not null,
  name text collate "C" not null,
  display_name text collate "C" not null,
  base_url text collate "C" not null,
  data_policy jsonb not null,
  headquarters text collate "C",
  datacenters text[] not null,
  privacy_policy_url text collate "C",
  created_at timestamptz not null,
  primary key (account_id, slug)
);

create table gatewarden_private_endpoint (
  id uuid primary key,
  account_id uuid not null,
  model_permaslug text collate "C" not null,
  provider_slug text collate "C" not null,
  provider_name text collate "C" not null,
  upstream_model_id text collate "C" not null,
  -- Null: that of the private provider.
  base_url text collate "C",
  declared_region text collate "C",
  declared_zdr boolean,
  -- Decimal strings, which keep every digit.
  pricing jsonb not null,
  status text collate "C" not null,
  -- The deployment that the last validation passed for.
  validated text collate "C",
  created_at timestamptz not null
);

create index gatewarden_private_endpoint_account on gatewarden_private_endpoint (account_id, created_at, id);
${["private_provider", "private_endpoint"].map(recorded).join("")}`
} as const
