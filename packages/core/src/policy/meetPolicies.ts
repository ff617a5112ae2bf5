/**
 * The policy that permits what every one of the given policies permits.
 *
 * Rule: guardrails#effective-policy: `allowed_*` are intersected, `ignored_*` united, `enable_*` must hold in all, ZDR where any
 * enforces it.
 */
import { type Allowed, type Policy, unrestrictedPolicy } from "./Policy.ts"

const intersection = <T>(a: Allowed<T>, b: Allowed<T>): Allowed<T> => {
  if (a === null || a === b) return b
  if (b === null) return a
  const [small, large] = a.size <= b.size ? [a, b] : [b, a]
  const both = new Set<T>()
  for (const name of small) if (large.has(name)) both.add(name)
  return both
}

const union = <T>(a: ReadonlySet<T>, b: ReadonlySet<T>): ReadonlySet<T> => {
  if (a.size === 0 || a === b) return b
  return b.size === 0 ? a : new Set([...a, ...b])
}

const meet = (a: Policy, b: Policy): Policy => ({
  allowed_data_regions: intersection(a.allowed_data_regions, b.allowed_data_regions),
  allowed_models: intersection(a.allowed_models, b.allowed_models),
  allowed_providers: intersection(a.allowed_providers, b.allowed_providers),
  ignored_models: union(a.ignored_models, b.ignored_models),
  ignored_providers: union(a.ignored_providers, b.ignored_providers),
  enable_free_model_publication: a.enable_free_model_publication && b.enable_free_model_publication,
  enable_free_model_training: a.enable_free_model_training && b.enable_free_model_training,
  enable_paid_model_training: a.enable_paid_model_training && b.enable_paid_model_training,
  enforced_zdr: union(a.enforced_zdr, b.enforced_zdr)
})

export const meetPolicies = (policies: readonly Policy[]): Policy => policies.reduce(meet, unrestrictedPolicy)
