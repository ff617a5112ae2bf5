/**
 * How many signatures of subject tokens this process verifies at once, so that a flood of tokens cannot take its processor time.
 *
 * Rule: authorization#token-exchange. Only tokens whose claims meet the policy have slots. A policy has few of all slots, and a process
 * serves waiting verifications in order, so a flood at one policy delays the tokens of another by a few signatures.
 */
import { Context, Effect, Layer, Semaphore } from "effect"
import { RateLimited } from "../value/failure.ts"
import { Pace } from "../limits/Slots.ts"

/** Tokens of one policy, of one account and of all that wait for keys of the issuer or for a slot, or are verified. */
export const waitingOfPolicy = 100
export const waitingOfAccount = 200
const waitingOfProcess = 8 * waitingOfAccount
const verifiedOfPolicy = 2
const verifiedOfProcess = 8

/** Tokens of one policy that are verified only to tell their holders that their claims do not meet it: at once, and from then on. */
export const explainedAtOnce = 20
const explainedPerSecond = 1
const maxPolicies = 10_000

export interface VerificationSlotTable {
  /** Counts a token from here to its end. 429 if too many of the policy, of its account or of the process wait. */
  readonly waiting: (
    account_id: string,
    policy_id: string
  ) => <A, E, R>(exchange: Effect.Effect<A, E, R>) => Effect.Effect<A, E | RateLimited, R>
  /** Runs a verification when the policy and the process have a slot. Only for a token that is `waiting`. */
  readonly verifying: (policy_id: string) => <A, E, R>(verification: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Whether a token whose claims do not meet the policy may be verified to explain this to its holder. */
  readonly mayExplain: (policy_id: string, now: number) => boolean
}

const makeVerificationSlots = (): VerificationSlotTable => {
  const ofProcess = Semaphore.makeUnsafe(verifiedOfProcess)
  const policies = new Map<string, { waiting: number; readonly slots: Semaphore.Semaphore }>()
  const explained = new Pace({ turns: explainedAtOnce, perSecond: explainedPerSecond, maxNames: maxPolicies })
  const accounts = new Map<string, number>()
  let waiting = 0

  const enter = (account_id: string, policy_id: string) =>
    Effect.suspend(() => {
      const policy = policies.get(policy_id) ?? { waiting: 0, slots: Semaphore.makeUnsafe(verifiedOfPolicy) }
      const ofAccount = accounts.get(account_id) ?? 0
      if (policy.waiting >= waitingOfPolicy || ofAccount >= waitingOfAccount || waiting >= waitingOfProcess)
        return Effect.fail(new RateLimited({ reason: "rate_limited", retryAfterSeconds: 1 }))
      policies.set(policy_id, policy)
      policy.waiting++
      accounts.set(account_id, ofAccount + 1)
      waiting++
      return Effect.succeed(policy)
    })

  const leave = (account_id: string, policy_id: string, policy: { waiting: number }): void => {
    waiting--
    const ofAccount = (accounts.get(account_id) ?? 1) - 1
    if (ofAccount === 0) accounts.delete(account_id)
    else accounts.set(account_id, ofAccount)
    if (--policy.waiting === 0) policies.delete(policy_id)
  }

  return {
    waiting: (account_id, policy_id) => (exchange) =>
      Effect.acquireUseRelease(
        enter(account_id, policy_id),
        () => exchange,
        (policy) => Effect.sync(() => leave(account_id, policy_id, policy))
      ),
    verifying: (policy_id) => (verification) =>
      Effect.suspend(() => {
        const inProcess = ofProcess.withPermits(1)(verification)
        return policies.get(policy_id)?.slots.withPermits(1)(inProcess) ?? inProcess
      }),
    mayExplain: (policy_id, now) => explained.take(policy_id, now)
  }
}

export class VerificationSlots extends Context.Service<VerificationSlots, VerificationSlotTable>()(
  "gatewarden/VerificationSlots"
) {}

export const layerVerificationSlots = Layer.sync(VerificationSlots, makeVerificationSlots)
