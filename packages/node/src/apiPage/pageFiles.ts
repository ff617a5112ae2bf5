/** The page around Swagger UI. Addresses are relative, so that a proxy may put it below another path. */
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
  <title>Gatewarden API</title>
  <link rel="icon" href="docs/icon.svg">
  <link rel="stylesheet" href="docs/ui.css">
  <script src="docs/ui.js" defer></script>
  <script src="docs/start.js" defer></script>
</head>
<body>
  <main id="ui" data-openapi="${`${basePath}/openapi.json`.replace(/^\/+/, "")}">
    <noscript>This page needs JavaScript. The API is described in openapi.json below its base path.</noscript>
  </main>
</body>
</html>
`
  )

/** The document says where the operations live by default; here they are where it was found. */
const start = `"use strict"
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
  SwaggerUIBundle({
    spec,
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
