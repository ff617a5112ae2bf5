/** The page around Swagger UI. Addresses are relative, so that a proxy may put it below another path. */
import { version } from "../platform/version.ts"
import { type Asset, textAsset } from "./Asset.ts"

/** `basePath`: where the operations live, and the document that describes them. */
export const pageHtml = (basePath: string): Asset =>
  textAsset(
    "text/html",
    `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Gatewarden ${version} API</title>
  <link rel="icon" href="docs/icon.svg">
  <link rel="stylesheet" href="docs/ui.css">
  <script src="docs/ui.js" defer></script>
  <script src="docs/start.js" defer></script>
</head>
<body>
  <main id="ui" data-version="${version}" data-openapi="${`${basePath}/openapi.json`.replace(/^\/+/, "")}">
    <noscript>This page needs JavaScript. The API is described in openapi.json below its base path.</noscript>
  </main>
</body>
</html>
`
  )

/**
 * The document says where the operations live by default; here they are where it was found, and the version is this package's.
 * Swagger UI's own filter knows the names of groups alone; here every word is looked for in method, path, name and texts.
 */
const start = `"use strict"
const textOf = (group, entry) => {
  const operation = entry.get("operation")
  const texts = ["operationId", "summary", "description"].map((name) => operation.get(name))
  return [group, entry.get("method"), entry.get("path"), ...texts].join(" ").toLowerCase()
}
const search = () => ({
  fn: {
    opsFilter: (groups, phrase) => {
      const words = phrase.toLowerCase().split(/[^a-z0-9_{}]+/)
      const matches = (group) => (entry) => words.every((word) => textOf(group, entry).includes(word))
      return groups
        .map((group, name) => group.set("operations", group.get("operations").filter(matches(name))))
        .filter((group) => group.get("operations").size > 0)
    }
  }
})
void (async () => {
  const page = document.getElementById("ui")
  const address = new URL(page.dataset.openapi, location.href)
  const answer = await fetch(address)
  if (!answer.ok) {
    page.textContent = "The description of the API cannot be had (" + answer.status + ")."
    return
  }
  const spec = await answer.json()
  spec.servers = [{ url: address.pathname.slice(0, -"/openapi.json".length) || "/" }]
  spec.info.version = page.dataset.version
  new MutationObserver((_, observer) => {
    const box = page.querySelector(".operation-filter-input")
    if (box === null) return
    observer.disconnect()
    box.placeholder = "Search operations: budget, usage events, DELETE guardrails"
    box.setAttribute("aria-label", "Search operations")
  }).observe(page, { childList: true, subtree: true })
  SwaggerUIBundle({
    spec,
    plugins: [search],
    defaultModelsExpandDepth: 0,
    domNode: page,
    deepLinking: true,
    displayRequestDuration: true,
    docExpansion: "list",
    filter: true,
    tryItOutEnabled: true,
    validatorUrl: null
  })
})()
`

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#3b4151" d="M8 0 2 2v5c0 4 2.5 7.5 6 9 3.5-1.5 6-5 6-9V2z"/><path fill="#fff" d="M5 6h6v1.5H5zm0 3h6v1.5H5z"/></svg>
`

export const pageFiles: ReadonlyMap<string, Asset> = new Map([
  ["start.js", textAsset("text/javascript", start)],
  ["icon.svg", textAsset("image/svg+xml", icon)]
])
