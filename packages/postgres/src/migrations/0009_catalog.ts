/**
 * The model catalog, for the whole installation.
 *
 * `slug` and `variant` are the name under which a model's usage is recorded. `listed_at` moves when a change may alter which
 * usage is ranked: it is part of the date of every ranking.
 */
export const catalog = {
  id: 9,
  name: "catalog",
  sql: `
create table gatewarden_model (
  id text collate "C" primary key,
  canonical_slug text collate "C" not null,
  slug text collate "C" not null,
  variant text collate "C" not null,
  public boolean not null,
  name text collate "C" not null,
  created bigint not null,
  description text collate "C" not null,
  architecture jsonb not null,
  endpoints jsonb not null,
  listed_at timestamptz not null
);

create index gatewarden_model_slug on gatewarden_model (slug, variant);
`
} as const
