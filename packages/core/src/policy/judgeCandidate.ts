/**
 * Whether a candidate is permitted, and if not, every reason, each with the edit that would remove it.
 *
 * The decision uses the meet of all guardrails, the proof each guardrail. A property test compares the two.
 */
import type { Guardrail } from "@gatewarden/contract"
import { adding, type Objection } from "../value/issues.ts"
import { type Candidate, mostClaims, type PolicedModel } from "./Candidate.ts"
import type { CompiledGuardrail, CompiledPolicy } from "./CompiledPolicy.ts"
import { modelRules, type NormaliseModel, policyRules, type PolicyRule } from "./policyRules.ts"
import { type RequestTerms, requestRules } from "./requestRules.ts"

/** The decision for one candidate, apart from what it costs. */
export const permits = ({ effective }: CompiledPolicy, terms: RequestTerms, candidate: Candidate): boolean => {
  if (candidate.claims.length > 0 || candidate.lacks_credential) return false
  for (const rule of policyRules) if (rule.removes(effective, candidate)) return false
  for (const rule of requestRules) if (rule.removes(terms, candidate)) return false
  return true
}

/** Objections that several candidates have in common. */
export type SharedObjections = Map<string, Objection>

const sharing = (shared: SharedObjections, key: string | undefined, object: () => Objection): Objection => {
  if (key === undefined) return object()
  const objection = shared.get(key) ?? object()
  shared.set(key, objection)
  return objection
}

const objectionsBy = <C>(
  rules: readonly PolicyRule<C>[],
  { scope, guardrail, policy }: CompiledGuardrail,
  candidate: C,
  normalise: NormaliseModel,
  shared: SharedObjections
): readonly Objection[] =>
  rules
    .filter((rule) => rule.removes(policy, candidate))
    .map(({ field, culprit, mended, sharedBy }) => {
      const from = guardrail[field as keyof Guardrail] as never
      const key = sharedBy && `${scope} ${guardrail.id} ${field} ${sharedBy(from, candidate, normalise)}`
      return sharing(shared, key, () => {
        const at = { scope, guardrail_id: guardrail.id, field }
        return {
          reason: { ...at, value: culprit(from, candidate, normalise) },
          edit: { ...at, from, ...mended(from, candidate, normalise) }
        }
      })
    })

/**
 * The objections to models that the server tools of a request name.
 *
 * Rule: guardrails#models-of-tools. The provider of the request runs the tools, so rules for providers judge the candidate alone.
 */
export const toolModelObjections = (
  { guardrails, normalise }: CompiledPolicy,
  models: readonly PolicedModel[]
): readonly Objection[] =>
  guardrails.flatMap((applied) =>
    models.flatMap((model) => objectionsBy(modelRules, applied, model, normalise, new Map()))
  )

/** Every reason against a candidate: none if and only if it is permitted. */
export const objectionsTo = (
  { guardrails, normalise }: CompiledPolicy,
  terms: RequestTerms,
  candidate: Candidate,
  shared: SharedObjections = new Map()
): readonly Objection[] => [
  ...claimObjections(candidate),
  ...credentialObjections(candidate),
  ...guardrails.flatMap((applied) => objectionsBy(policyRules, applied, candidate, normalise, shared)),
  ...requestRules
    .filter((rule) => rule.removes(terms, candidate))
    .map(({ field, value, mended, sharedBy }) =>
      sharing(shared, sharedBy && `${field} ${sharedBy(terms, candidate)}`, () => {
        const at = { scope: "request", guardrail_id: null, field } as const
        return {
          reason: { ...at, value: value(terms) },
          edit: mended === undefined ? null : { ...at, from: value(terms), ...mended(terms, candidate) }
        }
      })
    )
]

/** The reasons against shared capacity if the workspace's own keys replace it. */
const claimObjections = ({ claims }: Candidate): readonly Objection[] =>
  claims.map(({ byok_id, field }, index) => {
    const at = { scope: "credential", guardrail_id: null, field: `byok.${byok_id}.${field}` } as const
    return { reason: { ...at, value: true }, edit: index < mostClaims ? { ...at, from: true, to: false } : null }
  })

/** No edit of a policy brings a credential. */
const credentialObjections = ({ lacks_credential, provider }: Candidate): readonly Objection[] =>
  lacks_credential
    ? [{ reason: { scope: "credential", guardrail_id: null, field: "byok", value: provider }, edit: null }]
    : []

/**
 * The objections to a request's ingress region, from every guardrail that does not allow it. Their edits open the region; a smallest
 * change uses them only if the guardrails have no region in common.
 */
export const regionObjections = (
  { guardrails }: CompiledPolicy,
  { ingress_region: region }: RequestTerms
): readonly Objection[] =>
  guardrails.flatMap(({ scope, guardrail: { id, allowed_data_regions: from } }): readonly Objection[] => {
    if (from === null || from.includes(region)) return []
    const at = { scope, guardrail_id: id, field: "allowed_data_regions" }
    return [{ reason: { ...at, value: from }, edit: { ...at, from, ...adding(region) } }]
  })
