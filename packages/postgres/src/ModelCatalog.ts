import type { CatalogModel } from "@gatewarden/contract"
import { ModelCatalog, recordedName, type ResolvedModel, resolveModelName, namesToFind } from "@gatewarden/core/effect"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Columns, fromRow } from "./rows.ts"
import { reading, writing } from "./statements.ts"

const rowOf = (model: CatalogModel) => ({ ...model, ...recordedName(model) })

const modelOf = ({ slug: _, variant: __, listed_at: ___, ...columns }: Columns): CatalogModel =>
  fromRow<CatalogModel>(columns)

export const modelCatalog = Effect.map(SqlClient.SqlClient, (sql) => {
  /** Rows of every slug that the names may mean. */
  const meant = (names: readonly string[]) => {
    const wanted = namesToFind(names)
    return sql`slug = any(array(select slug from gatewarden_model where id = any(${wanted}::text[])) || ${wanted}::text[])`
  }

  const columns = (table: string) =>
    sql.csv(
      ["canonical_slug", "public", "name", "created", "description", "architecture", "endpoints"].map(
        (name) => sql`${sql(table)}.${sql(name)}`
      )
    )

  return ModelCatalog.of({
    upsert: (models, now) =>
      // One statement, and rows are locked in the same order by all.
      writing(
        Effect.asVoid(sql`
          insert into gatewarden_model
            (id, canonical_slug, slug, variant, public, name, created, description, architecture, endpoints, listed_at)
          select id, canonical_slug, slug, variant, public, name, created, description, architecture, endpoints, ${now}::timestamptz
          from jsonb_to_recordset(${JSON.stringify(models.map(rowOf))}::jsonb) as model (
            id text, canonical_slug text, slug text, variant text, public boolean, name text, created bigint,
            description text, architecture jsonb, endpoints jsonb)
          order by id collate "C"
          on conflict (id) do update set
            canonical_slug = excluded.canonical_slug, slug = excluded.slug, variant = excluded.variant,
            public = excluded.public, name = excluded.name, created = excluded.created,
            description = excluded.description, architecture = excluded.architecture, endpoints = excluded.endpoints,
            listed_at = case
              when gatewarden_model.canonical_slug = excluded.canonical_slug and gatewarden_model.public = excluded.public
              then gatewarden_model.listed_at else excluded.listed_at end
          where (${columns("gatewarden_model")}) is distinct from (${columns("excluded")})`)
      ),
    named: (names) =>
      reading(
        Effect.map(sql`select * from gatewarden_model where ${meant(names)} order by id`, (rows) => rows.map(modelOf))
      ),
    resolve: (names) =>
      reading(
        Effect.map(sql`select id, canonical_slug, architecture from gatewarden_model where ${meant(names)}`, (rows) => {
          const models = rows.map((row) => fromRow<Pick<CatalogModel, "id" | "canonical_slug" | "architecture">>(row))
          const resolved = new Map<string, ResolvedModel>()
          for (const name of names) {
            const model = resolveModelName(name, models)
            if (model !== undefined) resolved.set(name, model)
          }
          return resolved
        })
      )
  })
})
