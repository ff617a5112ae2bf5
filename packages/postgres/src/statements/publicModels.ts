/** Which recorded names are those of public models of the installation (Rule: rankings#counted-usage). */
import type { SqlClient } from "effect/sql"

/** The names in `source` (`model`, `variant`) that are public, with their `permaslug`. */
export const publicModels = (sql: SqlClient.SqlClient, source: string) => sql`
  select model, variant, model || case variant when '' then '' else ':' || variant end as permaslug
  from (select distinct model, variant from ${sql(source)}) as name
  where (
    select public from gatewarden_model entry
    where slug = name.model
      and (entry.variant in (name.variant, '') or canonical_slug = name.model)
    order by case
      when entry.variant = name.variant then 0
      when name.variant = '' then 1
      when entry.variant = '' then 2
      else 3 end, public desc
    limit 1
  )`
