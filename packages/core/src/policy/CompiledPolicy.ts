/**
 * The guardrails that apply to a key, compiled: each of them for proofs, and their meet for decisions.
 *
 * Rule: guardrails#effective-policy: workspace default ∧ member's ∧ key's.
 */
import { type Guardrail, zdrGroups } from "@gatewarden/contract/internal"
import { foldModelName } from "../catalog/modelNames.ts"
import type { AppliedGuardrail, GuardrailScope } from "../ports/policySources.ts"
import { type Policy, meetPolicies } from "./Policy.ts"
import { type NormaliseModel, ignoredNames } from "./policyRules.ts"

export interface CompiledGuardrail extends AppliedGuardrail {
  readonly policy: Policy
}

export interface CompiledPolicy {
  /** In the order workspace, member, key. */
  readonly guardrails: readonly CompiledGuardrail[]
  readonly effective: Policy
  readonly normalise: NormaliseModel
}

const setOf = <T extends string>(names: readonly T[] | null): ReadonlySet<T> | null =>
  names === null ? null : new Set(names)

/** A guardrail as a policy. */
export const policyOf = (guardrail: Guardrail, normalise: NormaliseModel): Policy => ({
  allowed_data_regions: setOf(guardrail.allowed_data_regions),
  allowed_models: setOf(guardrail.allowed_models?.map(normalise) ?? null),
  allowed_providers: setOf(guardrail.allowed_providers),
  ignored_models: new Set(guardrail.ignored_models?.flatMap((name) => ignoredNames(name, normalise))),
  ignored_providers: new Set(guardrail.ignored_providers?.map(foldModelName)),
  enable_free_model_publication: guardrail.enable_free_model_publication,
  enable_free_model_training: guardrail.enable_free_model_training,
  enable_paid_model_training: guardrail.enable_paid_model_training,
  enforced_zdr: new Set(zdrGroups.filter((group) => guardrail[`enforce_zdr_${group}`]))
})

const scopes: readonly GuardrailScope[] = ["workspace", "member", "key"]

/** In the order workspace, member, key, which also is the order of filters and budgets. */
export const inOrderOfScope = <A extends AppliedGuardrail>(applied: readonly A[]): readonly A[] =>
  [...applied].sort((a, b) => scopes.indexOf(a.scope) - scopes.indexOf(b.scope))

export const compilePolicy = (applied: readonly AppliedGuardrail[], normalise: NormaliseModel): CompiledPolicy => {
  const guardrails = inOrderOfScope(applied).map((one) => ({ ...one, policy: policyOf(one.guardrail, normalise) }))
  return { guardrails, effective: meetPolicies(guardrails.map(({ policy }) => policy)), normalise }
}
