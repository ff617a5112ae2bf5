/** A list of models as an RSS 2.0 feed (Rule: models#model-lists). */
import type { CatalogModel } from "@gatewarden/contract"
import { detailsOf } from "./listedModel.ts"

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

/** Links are below the base path, as in the list. In steps. */
export function* modelFeed(models: Iterable<CatalogModel>): Generator<void, string> {
  let items = ""
  for (const model of models) {
    items += item(model)
    yield
  }
  return `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel><title>Models</title><link>/models</link><description>The models of the catalog</description>${items}</channel></rss>\n`
}
