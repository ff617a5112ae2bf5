/**
 * The pages that explain the reasons of errors, as HTML without scripts and styles.
 *
 * Rule: errors#doc-url. They lie below the base path, so every host that serves the operations serves them. Links are relative, so that a host
 * or a proxy may put the base path below a path of its own.
 */
import { errorMessages, type ErrorStatus, type Reason, type ReasonRow, reasons } from "@gatewarden/contract"

/** Below the base path: the list of all reasons. The page of each lies below it. */
export const errorPagesPath = "/errors"

/** A text as HTML has it, between tags and in attributes. */
export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const html = (title: string, ...parts: readonly string[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
</head>
<body>
<main>
${parts.join("\n")}
</main>
</body>
</html>
`

/** The error as a client reads it: a denial has a message of its own. */
const exampleOf = (reason: Reason, status: ErrorStatus): string =>
  JSON.stringify({ error: { code: status, message: errorMessages[status], metadata: { reason } } }, null, 2)

const reasonPage = (reason: Reason): string => {
  const { statuses, means, remedy, call }: ReasonRow = reasons[reason]
  return html(
    `${reason}: error of Gatewarden`,
    `<h1><code>${reason}</code></h1>`,
    `<p>${escaped(means)}</p>`,
    ...statuses.map((status) => `<pre><code>${escaped(exampleOf(reason, status))}</code></pre>`),
    "<h2>What to do</h2>",
    `<p>${escaped(remedy)}</p>`,
    ...(call === undefined ? [] : [`<pre><code>${escaped(call)}</code></pre>`]),
    `<p><a href="..${errorPagesPath}">All reasons of errors</a></p>`
  )
}

const listPage = (): string =>
  html(
    "Errors of Gatewarden",
    "<h1>Errors</h1>",
    "<p>The reason of an error is in <code>error.metadata.reason</code>.</p>",
    "<dl>",
    ...Object.entries(reasons).map(
      ([reason, { means }]) =>
        `<dt><a href="${errorPagesPath.slice(1)}/${reason}"><code>${reason}</code></a></dt><dd>${escaped(means)}</dd>`
    ),
    "</dl>"
  )

/** The page at a path within the base path, as HTML without scripts and styles; undefined where there is none. */
export const errorPage = (path: string): (() => string) | undefined => {
  if (path === errorPagesPath) return listPage
  if (!path.startsWith(`${errorPagesPath}/`)) return undefined
  const reason = path.slice(errorPagesPath.length + 1)
  return Object.hasOwn(reasons, reason) ? () => reasonPage(reason as Reason) : undefined
}

/** Nothing is fetched for a page, and nothing runs in it. */
export const errorPageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer"
}
