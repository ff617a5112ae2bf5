/** A list of models as an RSS 2.0 feed (Rule: models#model-lists). */
import type { CatalogModel } from "@gatewarden/contract"
import { maxPageBytes } from "../value/Page.ts"
import { detailsOf } from "./listedModel.ts"
import { type ModelPage, pageOf } from "./pageOfModels.ts"

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
