/**
 * The page that a link in a mail opens: an address confirms that it wants alerts.
 *
 * Rule: alerts#recipients. A GET changes nothing, because programs that scan mail open every link; the form of the page confirms.
 */
import { Effect } from "effect"
import { confirmRecipient } from "../alert/confirmRecipients.ts"
import type { Services } from "./Services.ts"
import type { AppAnswer, AppRequest } from "./AppRequest.ts"
import { answerPage, htmlPage } from "./errorPages.ts"

const question = htmlPage(
  "Get alerts by mail?",
  "<p>Somebody has named your address as a recipient of alerts of AI budgets, keys and deliveries. You get none before you confirm.</p>",
  `<form method="post">
<div class="choice">
<button name="decision" value="allow">Confirm</button>
</div>
</form>`
)

const confirmed = htmlPage("Confirmed", "<p>Alerts will be sent to your address. You can close this page.</p>")

const ended = htmlPage(
  "This link does not work any more",
  "<p>It has ended, or a newer one was sent. Ask those who want to send you alerts to test the alert channel: the test sends another link.</p>"
)

export const answerMailPage = (
  { method }: AppRequest,
  search: string,
  headers: Record<string, string>
): Effect.Effect<AppAnswer, never, Services> =>
  method !== "POST"
    ? answerPage(200, question, headers)
    : Effect.flatMap(
        Effect.uninterruptible(confirmRecipient(new URLSearchParams(search).get("token") ?? "")),
        (isConfirmed) => answerPage(isConfirmed ? 200 : 404, isConfirmed ? confirmed : ended, headers)
      )
