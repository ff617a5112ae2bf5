import type { CatalogModel, PrivateProvider } from "@gatewarden/contract"
import {
  ModelCatalog,
  type NamedModel,
  type PrivateEndpointRow,
  type ProviderNames,
  type StoredPrivateEndpoint,
  type VisibleModel,
  type VisibleName,
  claimsOf,
  compareText,
  inSlices,
  namesToFind,
  providerNamesOf,
  recordedName,
  resolveNames,
  visibleModels,
  withPrivateEndpoints
} from "@gatewarden/core/internal"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { acts } from "../statements/acting.ts"
import { type Columns, fromRow } from "../statements/rows.ts"
import { reading, writing } from "../statements/statements.ts"

/** UTF-16 code units of the models' JSON that one statement takes. */
const jsonAtOnce = 262_144

/** Rows of models as JSON lists, in the order in which all lock them. In steps; one model is one row, and so one step. */
export function* rowLists(
  models: readonly CatalogModel[],
  row: (model: CatalogModel) => object
): Generator<void, readonly string[]> {
  const lists: string[] = []
  let rows: string[] = []
  let size = 0
  for (const model of [...models].sort((a, b) => compareText(a.id, b.id))) {
    const json = JSON.stringify(row(model))
    rows.push(json)
    size += json.length
    if (size >= jsonAtOnce) {
      lists.push(`[${rows.join()}]`)
      rows = []
      size = 0
    }
    yield
  }
  if (rows.length > 0) lists.push(`[${rows.join()}]`)
  return lists
}

const rowOf = (model: CatalogModel) => ({ ...model, ...recordedName(model) })

const ownRowOf = (model: CatalogModel) => ({ ...rowOf(model), claims: claimsOf(model) })

type ResolvableModel = Pick<CatalogModel, "id" | "canonical_slug" | "architecture">

const modelOf = ({ slug: _, variant: __, ...columns }: Columns): CatalogModel => fromRow<CatalogModel>(columns)

const entryColumns =
  "id, canonical_slug, slug, variant, public, name, created, description, architecture, listing, endpoints"

/** Of rows that say whether they are the account's own. */
const visibleOf = <M extends NamedModel>(rows: readonly Columns[], entryOf: (columns: Columns) => M) => {
  const entries = rows.map(({ is_own, ...columns }) => ({ is_own: is_own === true, entry: entryOf(columns) }))
  return visibleModels(
    entries.flatMap(({ is_own, entry }) => (is_own ? [] : [entry])),
    entries.flatMap(({ is_own, entry }) => (is_own ? [entry] : []))
  )
}

export const modelCatalog = Effect.map(SqlClient.SqlClient, (sql) => {
  const shown = sql.literal(entryColumns)

  /**
   * What an account sees of every slug that the names may mean: rows of the installation's catalog, also those that take a name of an
   * account's own, and rows of its own.
   */
  const meant = <M extends NamedModel>(
    account_id: string | null,
    names: readonly string[],
    read: string,
    entryOf: (columns: Columns) => M
  ) => {
    const wanted = sql`${namesToFind(names)}::text[]`
    const selected = sql.literal(read)
    const statement =
      account_id === null
        ? sql`
            select ${selected}, false as is_own from gatewarden_model
            where slug = any(array(select slug from gatewarden_model where id = any(${wanted})) || ${wanted})`
        : sql`
            with own as materialized (
              select * from gatewarden_own_model
              where account_id = ${account_id} and slug = any(
                array(select slug from gatewarden_own_model where account_id = ${account_id} and id = any(${wanted})) || ${wanted})
            ), wanted as materialized (
              select ${wanted} || array(select distinct unnest(claims) from own) as names
            )
            select ${selected}, false as is_own from gatewarden_model
            where slug = any(
              array(select slug from gatewarden_model where id = any((select names from wanted)::text[]))
              || (select names from wanted)::text[])
            union all
            select ${selected}, true from own`
    return Effect.map(statement, (rows) => visibleOf(rows, entryOf))
  }

  /** The active private endpoints of the account, each with its private provider. */
  const privateOf = (account_id: string | null) =>
    account_id === null
      ? Effect.succeed([])
      : Effect.map(
          sql<Columns>`
            select row_to_json(e) as endpoint, row_to_json(p) as provider
            from gatewarden_private_endpoint e
            left join gatewarden_private_provider p on p.account_id = e.account_id and p.slug = e.provider_slug
            where e.account_id = ${account_id} and e.status = 'active' order by e.created_at, e.id`,
          (rows) =>
            rows.map(({ endpoint, provider }): PrivateEndpointRow => ({
              endpoint: endpoint as StoredPrivateEndpoint,
              provider: (provider ?? undefined) as PrivateProvider | undefined
            }))
        )

  const seenBy = <E, R>(account_id: string | null, models: Effect.Effect<readonly VisibleModel[], E, R>) =>
    Effect.zipWith(models, privateOf(account_id), withPrivateEndpoints)

  const columns = (table: string) =>
    sql.csv(
      ["canonical_slug", "public", "name", "created", "description", "architecture", "listing", "endpoints"].map(
        (name) => sql`${sql(table)}.${sql(name)}`
      )
    )

  return ModelCatalog.of({
    upsert: (models, now) =>
      Effect.flatMap(inSlices(rowLists(models, rowOf)), (lists) => {
        const written = Effect.forEach(
          lists,
          (list) => sql`
          ${acts.insert} into gatewarden_model
            (id, canonical_slug, slug, variant, public, name, created, description, architecture, listing, endpoints, listed_at)
          select id, canonical_slug, slug, variant, public, name, created, description, architecture, listing, endpoints, ${now}::timestamptz
          from jsonb_to_recordset(${list}::jsonb) as model (
            id text, canonical_slug text, slug text, variant text, public boolean, name text, created bigint,
            description text, architecture jsonb, listing jsonb, endpoints jsonb)
          order by id collate "C"
          on conflict (id) do update set
            canonical_slug = excluded.canonical_slug, slug = excluded.slug, variant = excluded.variant,
            public = excluded.public, name = excluded.name, created = excluded.created,
            description = excluded.description, architecture = excluded.architecture, listing = excluded.listing,
            endpoints = excluded.endpoints,
            listed_at = case
              when gatewarden_model.canonical_slug = excluded.canonical_slug and gatewarden_model.public = excluded.public
              then gatewarden_model.listed_at else excluded.listed_at end
          where (${columns("gatewarden_model")}) is distinct from (${columns("excluded")})`,
          { discard: true }
        )
        return writing(lists.length > 1 ? sql.withTransaction(written) : written)
      }),
    upsertOwn: (account_id, models, limits) =>
      writing(
        Effect.gen(function* () {
          // Two at once would each see room for its own.
          yield* sql`select id from gatewarden_account where id = ${account_id} for no key update`
          const rows = yield* sql<{ others: number; endpoints: number; characters: string }>`
            select count(*)::int as others, coalesce(sum(jsonb_array_length(endpoints)), 0)::int as endpoints,
              coalesce(sum(length(to_jsonb(own)::text)), 0) as characters
            from gatewarden_own_model own
            where account_id = ${account_id} and id <> all(${models.map(({ id }) => id)}::text[])`
          const { others = 0, endpoints = 0, characters = 0 } = rows[0] ?? {}
          if (others + models.length > limits.models) return false
          if (models.reduce((sum, model) => sum + model.endpoints.length, endpoints) > limits.endpoints) return false
          const lists = yield* inSlices(rowLists(models, ownRowOf))
          const written = lists.reduce((sum, list) => sum + list.length, Number(characters))
          if (written > limits.characters) return false
          for (const list of lists)
            yield* sql`
            ${acts.insert} into gatewarden_own_model
              (account_id, id, canonical_slug, slug, variant, public, name, created, description, architecture, listing, endpoints, claims)
            select ${account_id}::uuid, ${shown}, claims
            from jsonb_to_recordset(${list}::jsonb) as model (
              id text, canonical_slug text, slug text, variant text, public boolean, name text, created bigint,
              description text, architecture jsonb, listing jsonb, endpoints jsonb, claims text[])
            order by id collate "C"
            on conflict (account_id, id) do update set
              canonical_slug = excluded.canonical_slug, slug = excluded.slug, variant = excluded.variant,
              public = excluded.public, name = excluded.name, created = excluded.created,
              description = excluded.description, architecture = excluded.architecture, listing = excluded.listing,
            endpoints = excluded.endpoints,
              claims = excluded.claims
            where (${columns("gatewarden_own_model")}) is distinct from (${columns("excluded")})`
          return true
        }).pipe(sql.withTransaction)
      ),
    named: (account_id, names) =>
      reading(meant(account_id, names, "id, canonical_slug, name, architecture", fromRow<VisibleName>)),
    read: (account_id, ids) => {
      const wanted = sql`id = any(${ids}::text[])`
      const installed = sql`select ${shown}, false as is_own from gatewarden_model where ${wanted}`
      const all =
        account_id === null
          ? installed
          : sql`
              ${installed}
              union all select ${shown}, true from gatewarden_own_model where account_id = ${account_id} and ${wanted}`
      return reading(
        seenBy(
          account_id,
          Effect.map(all, (rows) => visibleOf(rows, modelOf))
        )
      )
    },
    visible: (account_id) =>
      reading(
        seenBy(
          account_id,
          Effect.map(
            sql`
            select ${shown}, false as is_own from gatewarden_model
            union all
            select ${shown}, true from gatewarden_own_model where account_id = ${account_id}`,
            (rows) => visibleOf(rows, modelOf)
          )
        )
      ),
    resolve: (account_id, names) =>
      reading(
        Effect.flatMap(
          meant(account_id, names, "id, canonical_slug, architecture", fromRow<ResolvableModel>),
          (models) => inSlices(resolveNames(names, models))
        )
      ),
    variantsNamed: (account_id, names) =>
      reading(sql<NamedModel>`
        with named as (
          select id, canonical_slug from gatewarden_model
          union all select id, canonical_slug from gatewarden_own_model where account_id = ${account_id}::uuid
        )
        select id, canonical_slug from named where regexp_replace(id, '(?<=[^/]):[^/:]+$', '') = any(${names}::text[])
          and id ~ '(?<=[^/]):[^/:]+$'`),
    // Folded here, as JavaScript and the database do not agree on every letter.
    providersNamed: (account_id, names) =>
      reading(
        Effect.map(
          sql<ProviderNames>`
            select distinct e ->> 'provider_slug' as provider_slug, e ->> 'provider_name' as provider_name, e ->> 'tag' as tag
            from (
              select endpoints from gatewarden_model
              union all
              select endpoints from gatewarden_own_model where account_id = ${account_id}::uuid
            ) as model, jsonb_array_elements(endpoints) e
            union
            select provider_slug, provider_name, 'private/' || id
            from gatewarden_private_endpoint where account_id = ${account_id}::uuid and status = 'active'`,
          (endpoints) => {
            const wanted = new Set(names)
            return endpoints.filter((names) => providerNamesOf(names).some((name) => wanted.has(name)))
          }
        )
      )
  })
})
