/**
 * The part of a guardrail that decides where a request may go, in a form for look-ups: names normalised, lists as sets.
 *
 * Policies form a meet-semilattice: `meetPolicies` is commutative, associative and idempotent, `unrestrictedPolicy` is its neutral
 * element, and what a meet permits both sides permit. Rule: guardrails#effective-policy.
 */
import { Region, type ZdrGroup } from "@gatewarden/contract/internal"

/** `null`: every name. An empty set, which an intersection may produce, is no name, and never "unrestricted". */
export type Allowed<T> = ReadonlySet<T> | null

export interface Policy {
  /** Ingress regions. */
  readonly allowed_data_regions: Allowed<Region>
  /** Names as `NormaliseModel` writes them. */
  readonly allowed_models: Allowed<string>
  /** Provider slugs. */
  readonly allowed_providers: Allowed<string>
  /** Folded names, compared with every name of a candidate's model. */
  readonly ignored_models: ReadonlySet<string>
  /** Folded names, compared with slug, name and tag of a candidate's endpoint. */
  readonly ignored_providers: ReadonlySet<string>
  readonly enable_free_model_publication: boolean
  readonly enable_free_model_training: boolean
  readonly enable_paid_model_training: boolean
  /** Vendor groups whose endpoints must retain nothing. */
  readonly enforced_zdr: ReadonlySet<ZdrGroup>
}

const none: ReadonlySet<never> = new Set<never>()

/** Says nothing. */
export const unrestrictedPolicy: Policy = {
  allowed_data_regions: null,
  allowed_models: null,
  allowed_providers: null,
  ignored_models: none,
  ignored_providers: none,
  enable_free_model_publication: true,
  enable_free_model_training: true,
  enable_paid_model_training: true,
  enforced_zdr: none
}

/** The ingress regions that a policy allows, in the contract's order. */
export const openRegions = ({ allowed_data_regions: allowed }: Policy): readonly Region[] =>
  allowed === null ? Region.options : Region.options.filter((region) => allowed.has(region))

const intersection = <T>(a: Allowed<T>, b: Allowed<T>): Allowed<T> => {
  if (a === null) return b
  return b === null ? a : new Set([...a].filter((name) => b.has(name)))
}

const union = <T>(a: ReadonlySet<T>, b: ReadonlySet<T>): ReadonlySet<T> => {
  if (a.size === 0) return b
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

/**
 * The policy that permits what every one of the given policies permits.
 *
 * Rule: guardrails#effective-policy: `allowed_*` are intersected, `ignored_*` united, `enable_*` must hold in all, ZDR where any
 * enforces it.
 */
export const meetPolicies = (policies: readonly Policy[]): Policy => policies.reduce(meet, unrestrictedPolicy)
