import { type CatalogModel, ListedModel, type ModelList, type ModelQuery } from "@gatewarden/contract/internal"
import { Clock, Effect } from "effect"
import type { VisibleModel } from "../catalog/ownModels.ts"
import { ModelCatalog } from "../ports/models.ts"
import { maxPageBytes } from "../value/Page.ts"
import { inSlices } from "../value/inSlices.ts"
import type { List } from "../value/printed.ts"
import { speedsOf, tokensOf } from "./measureModels.ts"
import { type ModelFilter, passing } from "./modelFilters.ts"
import { detailsOf, listedModel, modelSortRows, sortedModels } from "./modelSorts.ts"

/** The default size of a page (Rule: models#model-lists). */
const defaultLimit = 500

export interface ModelPage {
  readonly limit: number | undefined
  readonly offset: number | undefined
}

type Endpoints = CatalogModel["endpoints"]

/** The part of the models that the request asks for: all of them, or a page if it has `limit` or `offset`. */
export const pageOf = <M>(models: readonly M[], { limit, offset }: ModelPage) => {
  const isWhole = limit === undefined && offset === undefined
  const from = offset ?? 0
  const size = limit ?? defaultLimit
  return {
    page: isWhole ? models : models.slice(from, from + size),
    /** The parameters of the next page, if this one has so many of the models; undefined if it is the last. */
    nextAfter: (shown: number): string | undefined =>
      from + shown < models.length ? `limit=${size}&offset=${from + shown}` : undefined
  }
}

/** A page of models, each with all of its endpoints or those that `endpointsOf` leaves. `search` is repeated in `links.next`. */
export const pageOfModels = <M extends CatalogModel>(
  models: readonly M[],
  asked: ModelPage,
  search: string,
  endpointsOf: (model: M) => Endpoints = ({ endpoints }) => endpoints
): List<ModelList> => {
  const { page, nextAfter } = pageOf(models, asked)
  return {
    name: "data",
    entries: listed(page, endpointsOf),
    rest: (shown) => {
      const next = nextAfter(shown)
      return {
        object: "list",
        total_count: models.length,
        links: { next: next === undefined ? null : `?${search}${next}` }
      } satisfies Omit<ModelList, "data">
    }
  }
}

/** One after another, as they are printed: a page that ends by bytes makes no more of them. */
function* listed<M extends CatalogModel>(models: readonly M[], endpointsOf: (model: M) => Endpoints) {
  for (const model of models) {
    const listed = listedModel(model, endpointsOf(model))
    // Stores read JSON with its fields in orders of their own; the entity tag stands on the order.
    if (listed !== undefined) yield ListedModel.parse(listed)
  }
}

function* filtered(models: readonly VisibleModel[], passes: (model: VisibleModel) => boolean) {
  const found: VisibleModel[] = []
  for (const model of models) {
    if (model.endpoints.length > 0 && passes(model)) found.push(model)
    yield
  }
  return found as readonly VisibleModel[]
}

/**
 * The models of a list, filtered and in its order.
 *
 * The models that have an endpoint and pass the filters, by id unless the request sorts them.
 */
export const selectModels = Effect.fnUntraced(function* (
  account_id: string,
  { sort, ...filter }: ModelFilter & { readonly sort?: ModelQuery["sort"] }
) {
  const visible = yield* (yield* ModelCatalog).visible(account_id)
  const models = yield* inSlices(filtered(visible, passing(filter, yield* Clock.currentTimeMillis)))
  if (sort === undefined) return models
  const { needs } = modelSortRows[sort]
  if (needs === undefined) return sortedModels(models, sort, () => ({}))
  const measures = needs === "tokens" ? yield* tokensOf(models, visible) : yield* speedsOf(account_id, models, visible)
  return sortedModels(models, sort, ({ id }) => measures.get(id) ?? {})
})

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

// oxlint-disable-next-line no-control-regex -- XML 1.0 has no form for them
const unprintable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

const text = (value: string): string =>
  value.replace(unprintable, "").replace(/[&<>]/g, (character) => entities[character] ?? character)

/** A date of RFC 822 exists up to the year 9999. */
const pubDate = (seconds: number): string =>
  seconds <= 253_402_300_799 ? `<pubDate>${new Date(seconds * 1000).toUTCString()}</pubDate>` : ""

const item = ({ id, name, description, created }: CatalogModel): string =>
  `<item><title>${text(name)}</title><link>${text(detailsOf(id))}</link><guid isPermaLink="false">${text(id)}</guid>${pubDate(created)}<description>${text(description)}</description></item>`

export const feedType = "application/rss+xml; charset=utf-8"

const utf8 = new TextEncoder()

/**
 * A list of models as an RSS 2.0 feed (Rule: models#model-lists).
 *
 * Links are below the base path, as in the list. A feed ends by bytes as lists do, and its link `next` has the next page. In steps.
 *
 * Source: RFC 5005 3.
 */
export function* modelFeed(models: readonly CatalogModel[], asked: ModelPage, search: string): Generator<void, string> {
  const { page, nextAfter } = pageOf(models, asked)
  let items = ""
  let bytes = 0
  let shown = 0
  for (const model of page) {
    const printed = item(model)
    const own = utf8.encode(printed).length
    if (shown > 0 && bytes + own > maxPageBytes) break
    items += printed
    bytes += own
    shown++
    yield
  }
  const next = nextAfter(shown)
  const link = next === undefined ? "" : `<atom:link rel="next" href="${text(`/models?${search}${next}`)}"/>`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>Models</title><link>/models</link><description>The models of the catalog</description>${link}${items}</channel></rss>\n`
}
