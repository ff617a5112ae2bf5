/**
 * The pages that explain the reasons of errors, as HTML without scripts and styles.
 *
 * Rule: errors#doc-url. They lie below the base path, so every host that serves the operations serves them. Links are relative, so that a host
 * or a proxy may put the base path below a path of its own.
 */
import { type ErrorStatus, type Reason, type ReasonRow, errorMessages, reasons } from "@gatewarden/contract/internal"
import { Effect } from "effect"
import { Digest } from "../platform/Digest.ts"
import type { AppAnswer } from "./AppRequest.ts"

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

/** The policy of a page has its digest. */
const style = `:root{color-scheme:light dark;--line:#767676;--strong:#1d4ed8;--on:#fff;--bad:#b3261e}
@media (prefers-color-scheme:dark){:root{--line:#8c8c8c;--strong:#9dbdff;--on:#10151f;--bad:#ffb4ab}}
*{box-sizing:border-box}
body{margin:0;font:1rem/1.5 system-ui,sans-serif}
main{max-width:32rem;margin:0 auto;padding:2rem 1rem}
h1{font-size:1.5rem;line-height:1.25;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;border:1px solid var(--line);border-radius:.5rem;padding:1rem}
dt{font-weight:600}
dd{margin:0;overflow-wrap:anywhere}
label{display:block;font-weight:600;margin-top:1rem}
input{width:100%;font:inherit;padding:.5rem;margin-top:.25rem;border:1px solid var(--line);border-radius:.375rem}
.hint{margin:.25rem 0 0;font-size:.875rem}
.choice{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.5rem}
button{font:inherit;font-weight:600;padding:.625rem 1.5rem;border:1px solid var(--line);border-radius:.375rem;background:transparent;color:inherit;cursor:pointer}
button[value=allow]{background:var(--strong);border-color:var(--strong);color:var(--on)}
:focus-visible{outline:3px solid var(--strong);outline-offset:2px}
[role=alert]{border-left:.25rem solid var(--bad);padding-left:.75rem;color:var(--bad)}
code{display:block;padding:.75rem;border:1px solid var(--line);border-radius:.375rem;overflow-wrap:anywhere;user-select:all}`

/** Pages for people as HTML: plain forms, without scripts, under a policy that allows nothing else. */
export const htmlPage = (title: string, ...parts: readonly string[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${parts.filter((part) => part !== "").join("\n")}
</main>
</body>
</html>
`

/** The headers of a page beside its body. `formTarget`: where its form may lead beside the page itself. */
export const answerPage = (status: number, body: string, headers: Record<string, string>, formTarget?: string) =>
  Effect.map(
    Effect.flatMap(Digest, (digest) => digest.sha256(style)),
    (hash): AppAnswer => ({
      status,
      body,
      headers: {
        ...headers,
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": `default-src 'none'; style-src 'sha256-${btoa(String.fromCharCode(...hash))}'; form-action 'self'${formTarget === undefined ? "" : ` ${formTarget}`}; base-uri 'none'; frame-ancestors 'none'`,
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        // The query may have a state or a token; the origin of the form must be sent.
        "referrer-policy": "same-origin"
      }
    })
  )
