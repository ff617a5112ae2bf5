/**
 * How many signatures of subject tokens this process verifies at once, so that a flood of tokens cannot take its processor time.
 *
 * Rule: authorization#token-exchange. The owner of a policy chooses the keys, and so how long a verification takes. An account has one
 * thread of the few that verify. Accounts take turns, and so do the policies of an account, so a flood at one policy delays the tokens of
 * another by a few signatures.
 */
import { Context, Effect, Layer } from "effect"
import { RateLimited } from "../value/failure.ts"
import { makeTurns } from "../value/Turns.ts"
import { Pace } from "../limits/Slots.ts"

/** Tokens of one policy, of one account and of all that wait for keys of the issuer or for a slot, or are verified. */
export const waitingOfPolicy = 100
export const waitingOfAccount = 200
const waitingOfProcess = 8 * waitingOfAccount
const verifiedOfAccount = 1
const verifiedOfProcess = 8

/** Tokens of one policy that are verified only to tell their holders that their claims do not meet it: at once, and from then on. */
export const explainedAtOnce = 20
const explainedPerSecond = 1
const maxPolicies = 10_000
/** Such tokens of one account that wait or are verified. They do not count among the others, or anybody could keep those out. */
export const explainedOfAccount = 20
const explainedOfProcess = 8 * explainedOfAccount

export interface VerificationSlotTable {
  /** Counts a token from here to its end. 429 if too many of the policy, of its account or of the process wait. */
  readonly waiting: (
    account_id: string,
    policy_id: string
  ) => <A, E, R>(exchange: Effect.Effect<A, E, R>) => Effect.Effect<A, E | RateLimited, R>
  /** Runs a verification when it is the turn of the policy and of its account. */
  readonly verifying: (
    account_id: string,
    policy_id: string
  ) => <A, E, R>(verification: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Verifies a token whose claims do not meet the policy, to explain this to its holder. Undefined: not verified, because too many are. */
  readonly explaining: (
    account_id: string,
    policy_id: string,
    now: number
  ) => <A, E, R>(verification: Effect.Effect<A, E, R>) => Effect.Effect<A | undefined, E, R>
}

const tooMany = () => new RateLimited({ reason: "rate_limited", retryAfterSeconds: 1 })

/** Counts tokens by name, and all of them. */
const makeCounts = () => {
  const counts = new Map<string, number>()
  let all = 0
  return {
    all: (): number => all,
    of: (name: string): number => counts.get(name) ?? 0,
    add: (name: string, more: 1 | -1): void => {
      all += more
      const count = (counts.get(name) ?? 0) + more
      if (count === 0) counts.delete(name)
      else counts.set(name, count)
    }
  }
}

const makeVerificationSlots = (): VerificationSlotTable => {
  // Tokens are counted before they come here, so any number may wait for a turn.
  const counted = { waiting: Infinity, refusal: tooMany }
  const ofPolicies = makeTurns({ ofAccount: 1, ...counted })
  const ofAccounts = makeTurns({ atOnce: verifiedOfProcess, ofAccount: verifiedOfAccount, ...counted })
  const paces = new Pace({ turns: explainedAtOnce, perSecond: explainedPerSecond, maxNames: maxPolicies })
  const policies = makeCounts()
  const accounts = makeCounts()
  const explained = makeCounts()

  const isFull = (account_id: string, policy_id: string): boolean =>
    policies.of(policy_id) >= waitingOfPolicy ||
    accounts.of(account_id) >= waitingOfAccount ||
    accounts.all() >= waitingOfProcess

  const mayExplain = (account_id: string, policy_id: string, now: number): boolean =>
    explained.of(account_id) < explainedOfAccount && explained.all() < explainedOfProcess && paces.take(policy_id, now)

  const count = (account_id: string, policy_id: string, more: 1 | -1): void => {
    policies.add(policy_id, more)
    accounts.add(account_id, more)
  }

  return {
    waiting: (account_id, policy_id) => (exchange) =>
      Effect.acquireUseRelease(
        Effect.suspend(() =>
          isFull(account_id, policy_id) ? Effect.fail(tooMany()) : Effect.sync(() => count(account_id, policy_id, 1))
        ),
        () => exchange,
        () => Effect.sync(() => count(account_id, policy_id, -1))
      ),
    verifying: (account_id, policy_id) => (verification) =>
      ofPolicies.goingOn(policy_id)(ofAccounts.goingOn(account_id)(verification)),
    explaining: (account_id, policy_id, now) => (verification) =>
      Effect.suspend(() =>
        mayExplain(account_id, policy_id, now)
          ? Effect.acquireUseRelease(
              Effect.sync(() => explained.add(account_id, 1)),
              () => verification,
              () => Effect.sync(() => explained.add(account_id, -1))
            )
          : Effect.undefined
      )
  }
}

export class VerificationSlots extends Context.Service<VerificationSlots, VerificationSlotTable>()(
  "gatewarden/VerificationSlots"
) {}

export const layerVerificationSlots = Layer.sync(VerificationSlots, makeVerificationSlots)
