/**
 * Swagger UI as files of our own origin, from `swagger-ui-dist`. The build copies them: a dependency would install 12 MB and run
 * the telemetry of `@scarf/scarf` with every host. Sources that were not built yet take them from the package.
 */
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Asset, textAsset } from "./Asset.ts"

const folderOf = (): string => {
  const built = fileURLToPath(new URL("../../dist/swagger-ui", import.meta.url))
  return existsSync(built) ? built : dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"))
}

/** By file name: `ui.js`, `ui.css`, and the images of the latter. */
export const swaggerUi = async (): Promise<ReadonlyMap<string, Asset>> => {
  const folder = folderOf()
  const [javascript, css] = await Promise.all(
    ["swagger-ui-bundle.js", "swagger-ui.css"].map((name) => readFile(join(folder, name), "utf8"))
  )
  const { styles, images } = withoutDataUrls(css ?? "")
  return new Map([
    ["ui.js", textAsset("text/javascript", javascript ?? "")],
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
