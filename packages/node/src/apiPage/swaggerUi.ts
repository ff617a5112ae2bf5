/**
 * Swagger UI as files of our own origin. It comes inside `effect`, which pins it, has none of its telemetry, and inlines it into
 * a page; a page that allows no inline code needs it in files.
 */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import * as z from "zod"
import { type Asset, textAsset } from "./Asset.ts"

const Bundle = z.object({ javascript: z.string(), css: z.string() })

/** By file name: `ui.js`, `ui.css`, and the images of the latter. */
export const swaggerUi = async (): Promise<ReadonlyMap<string, Asset>> => {
  const entry = createRequire(import.meta.url).resolve("effect/http-api")
  const file = pathToFileURL(join(dirname(entry), "internal", "httpApiSwagger.js"))
  const { javascript, css } = Bundle.parse(await import(file.href))
  const { styles, images } = withoutDataUrls(css)
  return new Map([
    ["ui.js", textAsset("text/javascript", javascript)],
    ["ui.css", textAsset("text/css", styles)],
    ...images
  ])
}

const dataUrl = /url\((?:"data:((?:[^"\\]|\\.)*)"|data:([^)"]*))\)/g
const extensions: Readonly<Record<string, string>> = {
  "image/svg+xml": "svg",
  "image/png": "png",
  "image/jpeg": "jpeg"
}

/** Images that styles carry in themselves, as files beside them: `default-src 'self'` allows no `data:`. */
export const withoutDataUrls = (
  css: string
): { readonly styles: string; readonly images: readonly (readonly [string, Asset])[] } => {
  const images: (readonly [string, Asset])[] = []
  const styles = css.replaceAll(dataUrl, (_, quoted: string | undefined, bare: string | undefined) => {
    const data = quoted?.replace(/\\(.)/g, "$1") ?? bare ?? ""
    const comma = data.indexOf(",")
    const [type = "", ...parameters] = data.slice(0, comma).split(";")
    const content = data.slice(comma + 1)
    const body = parameters.includes("base64")
      ? Buffer.from(content, "base64")
      : Buffer.from(decodeURIComponent(content))
    const name = `${images.length}.${extensions[type] ?? "bin"}`
    images.push([name, { type, body }])
    return `url(${name})`
  })
  return { styles, images }
}
