/** The Promise methods of enforcement, over an instance's services. */
import {
  type Admission,
  type AdmittedCandidate,
  CreateAdmission,
  CreateExplanation,
  RenewAdmission,
  SettleAdmission,
  UsageQuantities
} from "@gatewarden/contract/internal"
import { Clock, Effect, Redacted } from "effect"
import * as z from "zod"
import { accountOfKey } from "../access/actingAccount.ts"
import type { Caller } from "../access/Caller.ts"
import { Forbidden, invalid, unknownAdmission } from "../value/failure.ts"
import type { PromiseRunner } from "./promiseRunner.ts"
import { checkInput } from "../value/checkInput.ts"
import { Digest } from "../platform/Digest.ts"
import { formatUsd, parseUsd } from "../value/money.ts"
import { admitInProcess } from "../decision/admit.ts"
import { AdmissionTokens } from "../access/AdmissionTokens.ts"
import { cancelAdmission, renewAdmission } from "../ledger/operations.ts"
import { costOfUsage } from "../ledger/costOfUsage.ts"
import type { Ingress } from "../policy/denial.ts"
import type { AskingKey, Enforcement, GrantedAdmission } from "../decision/Enforcement.ts"
import { explain } from "../explanation/explain.ts"
import { openCredential } from "../decision/credentials.ts"
import { replayUsage } from "../explanation/replayUsage.ts"
import { settleAdmission } from "../decision/settleAdmission.ts"
import { quantitiesOf } from "../ledger/endpointPrices.ts"

/** A host without types may pass the value of an absent header. */
const WithKey = z.object({ api_key: z.string("Expected the key that makes the request") })

/** A host adds the key to a client's request, so the client must not be able to name another one. */
const hashOf = Effect.fnUntraced(function* (asking: AskingKey) {
  const isObject = typeof asking === "object" && asking !== null
  const named = isObject && "api_key_hash" in asking ? asking.api_key_hash : undefined
  if (named !== undefined && !("api_key" in asking)) return named
  const { api_key } = yield* checkInput(WithKey, asking)
  const hash = yield* (yield* Digest).sha256Hex(api_key)
  if (named !== undefined && named !== hash)
    return yield* invalid("invalid_request", "api_key_hash", "Expected the key or its hash, not those of two keys")
  return hash
})

/** Fields of the request without the key, of which only the hash is used. */
const withoutKey = <R extends AskingKey>(request: R): Omit<R, "api_key"> =>
  Object.fromEntries(Object.entries(request).filter(([field]) => field !== "api_key")) as Omit<R, "api_key">

/** The signed id authorizes the settlement. */
const settlerOf = Effect.fnUntraced(function* (id: unknown) {
  const token = typeof id === "string" ? yield* (yield* AdmissionTokens).read(id) : undefined
  if (token === undefined) return yield* unknownAdmission()
  return {
    account_id: token.account_id,
    key_hash: token.api_key_hash,
    kind: "management",
    workspace_id: null,
    default_workspace_id: token.workspace_id,
    user_id: null,
    // A host that embeds an instance is the operator.
    is_operator: true,
    restrictions: null
  } satisfies Caller
})

const isSame = (own: AdmittedCandidate, other: AdmittedCandidate): boolean =>
  own.model === other.model && own.endpoint_tag === other.endpoint_tag && own.byok_id === other.byok_id

/** The charge if the catalog has no price. */
const mostHeld = ({ holds }: Admission): string => {
  const amounts = holds.map(({ amount_usd }) => parseUsd(amount_usd) ?? 0n)
  return formatUsd(amounts.reduce((most, amount) => (amount > most ? amount : most), 0n))
}

/** `ingressOf` is asked when a method is called: what runs for several calls cannot tell for which. */
export const promiseEnforcement = (run: PromiseRunner, ingressOf: () => Ingress): Enforcement => {
  /** Input of a host is validated like that of a client. */
  const asked = <S extends z.ZodType>(schema: S, request: AskingKey) =>
    Effect.gen(function* () {
      const api_key_hash = yield* hashOf(request)
      const input = yield* checkInput(schema, { ...withoutKey(request), api_key_hash })
      return { api_key_hash, input, account_id: yield* accountOfKey(api_key_hash) }
    })

  return {
    admit: async (request) => {
      const ingress = ingressOf()
      const { admission, merged, restore, candidates, size, made_at } = await run(
        Effect.gen(function* () {
          const made_at = new Date(yield* Clock.currentTimeMillis)
          const { account_id, input } = yield* asked(CreateAdmission, request)
          return { made_at, ...(yield* admitInProcess(account_id, input, ingress)) }
        })
      )
      const granted: GrantedAdmission = {
        merged,
        restore,
        credentialOf: async ({ byok_id }) =>
          Redacted.value(
            await run(
              Effect.mapError(
                openCredential(admission.id, byok_id ?? ""),
                () => new Forbidden({ reason: "not_admitted" })
              )
            )
          ),
        costOf: (candidate, usage) => {
          const own = candidates.find((each) => isSame(each, candidate))
          if (own === undefined) throw new TypeError("costOf: this is no candidate of the admission")
          const cost = costOfUsage(own.endpoint, quantitiesOf(UsageQuantities.parse(usage)), made_at, size)
          const usd = cost === undefined ? mostHeld(admission) : formatUsd(cost.nanos)
          return own.source === "byok"
            ? { cost_usd: "0", byok: true, byok_cost_usd: usd }
            : { cost_usd: usd, byok: false, byok_cost_usd: null }
        },
        ...admission
      }
      return granted
    },
    renew: (id, hold_seconds) =>
      run(
        Effect.gen(function* () {
          const { account_id } = yield* settlerOf(id)
          return yield* renewAdmission(account_id, id, yield* checkInput(RenewAdmission, { hold_seconds }))
        })
      ),
    settle: (id, event) =>
      run(
        Effect.gen(function* () {
          const settler = yield* settlerOf(id)
          return yield* settleAdmission(settler, id, yield* checkInput(SettleAdmission, { event }))
        })
      ),
    cancel: (id) =>
      run(Effect.asVoid(Effect.flatMap(settlerOf(id), (settler) => cancelAdmission(settler.account_id, id)))),
    explain: (request) => {
      const ingress = ingressOf()
      return run(
        Effect.flatMap(asked(CreateExplanation, request), ({ account_id, api_key_hash, input }) =>
          explain(account_id, { ...input, api_key_hash }, ingress)
        )
      )
    },
    replay: (request) =>
      run(
        Effect.gen(function* () {
          const { account_id, input } = yield* asked(CreateExplanation, request)
          const { api_key_hash, replay, ...rest } = input
          if (replay == null) return yield* invalid("invalid_request", "replay", "Expected a start and an end")
          return yield* replayUsage(account_id, { ...rest, replay, ...(request.only_this_key ? { api_key_hash } : {}) })
        })
      )
  }
}
