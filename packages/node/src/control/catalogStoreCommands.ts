/** The command of the store behind `gatewarden catalog import`. */
import { type CatalogModel, PutCatalog } from "@gatewarden/contract/internal"
import { importCatalog, ModelCatalog } from "@gatewarden/core/internal"
import { Effect } from "effect"
import * as z from "zod"
import { command } from "../store/StoreCommand.ts"

const isSame = (one: unknown, other: unknown): boolean => {
  if (Object.is(one, other)) return true
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].every((name) =>
    isSame((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name])
  )
}

/** The imported endpoint with what a list does not tell: regions, retention and names stay as the operator wrote them. */
const updated = (
  before: CatalogModel["endpoints"][number],
  { context_length, max_completion_tokens, pricing, supported_parameters }: CatalogModel["endpoints"][number]
): CatalogModel["endpoints"][number] => ({
  ...before,
  context_length,
  max_completion_tokens,
  pricing,
  supported_parameters
})

/** A model of a list, over the one that the catalog has: other endpoints stay, and so does what a list does not tell. */
const merged = (before: CatalogModel, model: CatalogModel): CatalogModel => {
  const { name, created, description, architecture } = model
  const endpoints = model.endpoints.map(
    (endpoint) => [endpoint, before.endpoints.find(({ tag }) => tag === endpoint.tag)] as const
  )
  return {
    ...before,
    ...{ name, created, description, architecture },
    endpoints: [
      ...before.endpoints.map((kept) => {
        const found = endpoints.find(([, same]) => same === kept)
        return found === undefined ? kept : updated(kept, found[0])
      }),
      ...endpoints.flatMap(([endpoint, same]) => (same === undefined ? [endpoint] : []))
    ]
  }
}

/** The fields of a model that an import changes; those of endpoints with the tag: `endpoints.openai.pricing`. */
const changedFields = (before: CatalogModel, after: CatalogModel): readonly string[] => {
  const fieldsOf = (one: object, other: object, at: string) =>
    [...new Set([...Object.keys(one), ...Object.keys(other)])]
      .filter((name) => !isSame((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name]))
      .map((name) => at + name)
  const { endpoints: old, ...rest } = before
  const { endpoints: next, ...others } = after
  const tags = [...new Set([...old, ...next].map(({ tag }) => tag))]
  return [
    ...fieldsOf(rest, others, ""),
    ...tags.flatMap((tag) => {
      const [one, other] = [old, next].map((endpoints) => endpoints.find((endpoint) => endpoint.tag === tag))
      if (one === undefined || other === undefined) return [`endpoints.${tag}`]
      return fieldsOf(one, other, `endpoints.${tag}.`)
    })
  ]
}

export const catalogCommands = {
  putCatalog: command({
    input: z.object({
      catalog: PutCatalog,
      /** Endpoints that the catalog has and the import does not name stay. */
      keep_endpoints: z.boolean(),
      dry_run: z.boolean()
    }),
    output: z.object({
      models: z.int(),
      endpoints: z.int(),
      added: z.array(z.string()),
      changed: z.array(z.object({ id: z.string(), fields: z.array(z.string()) })),
      unchanged: z.int()
    }),
    run: Effect.fnUntraced(function* ({ catalog, keep_endpoints, dry_run }) {
      const ids = catalog.models.map(({ id }) => id)
      const present = new Map((yield* (yield* ModelCatalog).read(null, ids)).map((model) => [model.id, model]))
      const models: CatalogModel[] = []
      const added: string[] = []
      const changed: { readonly id: string; readonly fields: string[] }[] = []
      for (const model of catalog.models) {
        const before = present.get(model.id)
        const after = before === undefined || !keep_endpoints ? model : merged(before, model)
        const fields = before === undefined ? [] : [...changedFields(before, after)]
        if (before === undefined) added.push(model.id)
        else if (fields.length > 0) changed.push({ id: model.id, fields })
        else continue
        models.push(after)
      }
      if (!dry_run && models.length > 0) yield* importCatalog({ models })
      return {
        models: models.length,
        endpoints: models.reduce((sum, { endpoints }) => sum + endpoints.length, 0),
        added,
        changed,
        unchanged: catalog.models.length - models.length
      }
    })
  })
} as const
