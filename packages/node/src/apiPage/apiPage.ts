/**
 * The API as a page to read and to try, at `/docs`. It contacts nobody but this server, and allows nothing else.
 *
 * Rule: operating#probes: outside the base path, without credentials. A key that is typed in stays in
 * the page until it is left.
 */
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import type { ServerPage } from "../platform/ServerPage.ts"
import type { Asset } from "./Asset.ts"
import { pageFiles, pageHtml } from "./pageFiles.ts"
import { swaggerUi } from "./swaggerUi.ts"

export const apiPagePath = "/docs"

const contentSecurityPolicy = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

interface Ready extends Asset {
  readonly etag: string
  readonly gzipped: Uint8Array | undefined
}

const compress = promisify(gzip)

const ready = async (asset: Asset): Promise<Ready> => ({
  ...asset,
  etag: `"${createHash("sha256").update(asset.body).digest("base64url").slice(0, 22)}"`,
  gzipped: asset.body.length > 1_000 ? await compress(asset.body) : undefined
})

export const apiPage = (basePath: string): ServerPage => {
  const kept = new Map<string, Promise<Ready | undefined>>()
  let ui: ReturnType<typeof swaggerUi> | undefined

  const find = async (path: string): Promise<Asset | undefined> => {
    if (path === apiPagePath) return pageHtml(basePath)
    const name = path.slice(apiPagePath.length + 1)
    return pageFiles.get(name) ?? (await (ui ??= swaggerUi())).get(name)
  }
  const load = async (path: string): Promise<Ready | undefined> => {
    const asset = await find(path)
    return asset && ready(asset)
  }
  /** Once, however many ask before it is there. What does not exist is not kept: there is no end of it. */
  const loaded = (path: string): Promise<Ready | undefined> => {
    const known = kept.get(path)
    if (known !== undefined) return known
    const loading = load(path)
    kept.set(path, loading)
    const forget = () => kept.delete(path)
    loading.then((asset) => asset ?? forget(), forget)
    return loading
  }

  return (request) =>
    Effect.promise(async () => {
      const path = request.url.split("?", 1)[0] ?? ""
      const asset = await loaded(path)
      if (asset === undefined) return undefined
      const headers = {
        etag: asset.etag,
        "cache-control": "no-cache",
        vary: "accept-encoding",
        "content-security-policy": contentSecurityPolicy,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer"
      }
      if (request.headers["if-none-match"]?.includes(asset.etag)) return { status: 304, headers, body: undefined }
      const zipped = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "") ? asset.gzipped : undefined
      return {
        status: 200,
        headers: {
          ...headers,
          "content-type": asset.type,
          ...(zipped === undefined ? {} : { "content-encoding": "gzip" })
        },
        body: [zipped ?? asset.body]
      }
    }).pipe(Effect.catchDefect(() => Effect.as(Effect.logError("the API page cannot be read"), undefined)))
}
