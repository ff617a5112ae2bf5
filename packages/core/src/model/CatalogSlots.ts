/**
 * How many answers of the catalog a process makes at once. Making one reads every model that the account sees, which takes a multiple of the
 * answer's bytes, and those are counted only once they are made.
 *
 * Rule: requests#answers-in-flight. Accounts take turns, so one that asks for many different lists delays another by a few of them.
 */
import { Unavailable } from "../value/failure.ts"
import { makeTurns } from "../value/Turns.ts"

/** Making is work of the processor, so more at once would not be faster. */
const madeAtOnce = 2

/** Answers of one account that wait to be made, or are made. */
const waitingOfAccount = 256

/** 503 if too many answers of the account wait. */
export const makeCatalogSlots = () =>
  makeTurns({
    atOnce: madeAtOnce,
    ofAccount: madeAtOnce,
    waiting: waitingOfAccount,
    refusal: () => new Unavailable({ reason: "answers_in_flight", issues: [tooMany], retryAfterSeconds: 5 })
  })

const tooMany = {
  path: "",
  code: "too_many_answers",
  message: `Expected at most ${waitingOfAccount} answers of the catalog in the making for one account`
}
