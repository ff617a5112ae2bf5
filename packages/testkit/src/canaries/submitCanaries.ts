/**
 * Submits secrets to every operation that takes one or could be sent one by mistake, in requests that succeed and requests
 * that fail, and keeps every answer.
 *
 * Rule: errors#nothing-internal, secrets#never-shown. What an operation declares is what it is sent, so a new operation is reached
 * without a word here.
 */
import { operations } from "@gatewarden/contract"
import { type CanaryTarget, makeCanarySender, type Submission } from "./CanarySender.ts"
import { codes } from "./submitCanaries/codes.ts"
import { credentials } from "./submitCanaries/credentials.ts"
import { destinations } from "./submitCanaries/destinations.ts"
import { failingProvider } from "./submitCanaries/failingProvider.ts"
import { keys } from "./submitCanaries/keys.ts"
import { misplaced } from "./submitCanaries/misplaced.ts"
import { traffic } from "./submitCanaries/traffic.ts"
import { unreadable } from "./submitCanaries/unreadable.ts"

export interface CanaryRun {
  readonly submissions: readonly Submission[]
  /** Keys and codes that were made on the way: secrets as well. */
  readonly issued: readonly string[]
}

export const submitCanaries = async (target: CanaryTarget): Promise<CanaryRun> => {
  const sender = makeCanarySender(target)
  await credentials(sender)
  await destinations(sender)
  await keys(sender)
  await codes(sender)
  await traffic(sender)
  if (target.providersFail === true) await failingProvider(sender)
  for (const operation of operations) await misplaced(sender, operation)
  await unreadable(sender)
  sender.requireAllSent()
  return { submissions: sender.submissions, issued: [...sender.issued] }
}
