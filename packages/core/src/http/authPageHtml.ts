/**
 * The authorization page as HTML: plain forms, without scripts.
 *
 * Rule: authorization#authorization-page.
 */
import type { CodeRequest } from "../authorization/operations.ts"
import { appName } from "../authorization/callbackUrl.ts"
import { escaped, htmlPage } from "./errorPages.ts"

const alert = (text: string | undefined): string => (text === undefined ? "" : `<p role="alert">${escaped(text)}</p>`)

const row = (name: string, value: string): string => `<dt>${name}</dt><dd>${escaped(value)}</dd>`

const resets = { daily: "a day", weekly: "a week", monthly: "a month" } as Readonly<Record<string, string>>

const limitOf = ({ limit, usage_limit_type }: CodeRequest): string => {
  if (limit === undefined) return "no limit of its own"
  const interval = usage_limit_type === undefined ? "in all" : (resets[usage_limit_type] ?? usage_limit_type)
  return `at most $${limit} ${interval}`
}

/** Who is asking, and what for. The host of the callback is what a user can know an app by: its label is what the app says of itself. */
const facts = (codeRequest: CodeRequest): string =>
  `<dl>
${[
  row(
    "App",
    codeRequest.callback_url === undefined ? "not named; it gets the code from you" : appName(codeRequest.callback_url)
  ),
  codeRequest.key_label === undefined || codeRequest.key_label === ""
    ? ""
    : row("Name of the key", codeRequest.key_label),
  row("May spend", limitOf(codeRequest)),
  row("Expires", codeRequest.expires_at ?? "never"),
  row("Workspace", codeRequest.workspace_id ?? "the default one")
]
  .filter((part) => part !== "")
  .join("\n")}
</dl>`

const keyField = `<label for="management_key">Management key</label>
<input id="management_key" name="management_key" type="password" required autocomplete="off" spellcheck="false" autocapitalize="none" maxlength="256" aria-describedby="key_hint">
<p class="hint" id="key_hint">It is used once, to make the app's key, and is not kept. The app does not see it.</p>
<p class="hint">If you have no management key, ask the person who manages this account. Only the holder of a management key can allow an app.</p>`

export interface Consent {
  readonly codeRequest: CodeRequest
  /** The user whom the host has signed in; undefined where a management key is needed. */
  readonly user: string | undefined
  readonly problem?: string | undefined
}

/** The question. Denying needs no key. */
export const consentPage = ({ codeRequest, user, problem }: Consent): string =>
  htmlPage(
    codeRequest.callback_url === undefined
      ? "Allow an app to use your account?"
      : `Allow ${appName(codeRequest.callback_url)} to use your account?`,
    alert(problem),
    "<p>It gets an API key of its own, with which it can send requests that are charged to your account. In its workspace it can add files, presets, and versions of presets. It can choose the version in use of presets that you created, and not of presets that others created. It can read the presets, files and usage of its workspace. It cannot manage the account.</p>",
    facts(codeRequest),
    `<form method="post">
${user === undefined ? keyField : `<p>Signed in as ${escaped(user)}.</p>`}
<div class="choice">
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny" formnovalidate>Deny</button>
</div>
</form>`
  )

/** The code, for an app that has no callback. */
export const codePage = (code: string): string =>
  htmlPage(
    "Enter this code in the app",
    `<p><code>${escaped(code)}</code></p>`,
    "<p>The app exchanges it for its key within 10 minutes. Then you can close this page.</p>"
  )

export const deniedPage = (): string => htmlPage("Denied", "<p>No key was made. You can close this page.</p>")

/** A request that cannot be shown to anybody for consent. */
export const problemPage = (problems: readonly string[]): string =>
  htmlPage(
    "This request cannot be used",
    ...problems.map(alert),
    "<p>Go back to the app that sent you here. Its developer finds the rules in the documentation.</p>"
  )
