/**
 * The rules of a guardrail for a candidate, one row for each field: when it removes the candidate, by which value, and which change of
 * that value would permit the candidate.
 *
 * A decision applies the rules to the meet of all guardrails, a proof applies the same rules to each guardrail.
 * Rule: guardrails#effective-policy.
 */
import { type Guardrail, type ZdrGroup, zdrGroups } from "@gatewarden/contract/internal"
import { foldModelName } from "../catalog/modelNames.ts"
import { remembered } from "../value/remembered.ts"
import { adding, type ListChange } from "../value/issues.ts"
import {
  type Candidate,
  firstPlace,
  listedNames,
  placesBy,
  type PlacesOfNames,
  type PolicedModel,
  providerPlaces,
  withoutNames
} from "./Candidate.ts"
import type { Policy } from "./Policy.ts"

/** The form in which a model name of a list is compared: the name under which the catalog records it, or itself if it is unknown. */
export type NormaliseModel = (name: string) => string

type Field = Exclude<keyof Guardrail, "id" | "workspace_id" | "name" | "created_at" | "updated_at">

export interface PolicyRule<C = Candidate> {
  readonly field: Field
  readonly removes: (policy: Policy, candidate: C) => boolean
  /** What of the field's value did it. */
  readonly culprit: (value: never, candidate: C, normalise: NormaliseModel) => unknown
  /** The nearest value of the field that does not remove the candidate. */
  readonly mended: (value: never, candidate: C, normalise: NormaliseModel) => { readonly to: unknown } | ListChange
  /** What of the candidate the edit of a list depends on: candidates that have it in common have one objection. */
  readonly sharedBy?: (value: never, candidate: C, normalise: NormaliseModel) => string
}

type Names = readonly string[]

/**
 * The names that an entry of `ignored_models` covers: itself and the name under which the catalog records it; without a variant, all
 * variants.
 */
export const ignoredNames = (name: string, normalise: NormaliseModel): readonly string[] => [
  foldModelName(name),
  foldModelName(normalise(name))
]

const allowedList = <C>(
  field: Field,
  removes: PolicyRule<C>["removes"],
  nameOf: (candidate: C) => string
): PolicyRule<C> => ({
  field,
  removes,
  culprit: (names: Names) => names,
  mended: (_: Names, candidate: C) => adding(nameOf(candidate)),
  sharedBy: (_: Names, candidate: C) => nameOf(candidate)
})

const ignoredList = <C>(
  field: Field,
  removes: PolicyRule<C>["removes"],
  namesOf: (candidate: C) => readonly string[],
  placesWith: (normalise: NormaliseModel) => (names: Names) => PlacesOfNames
): PolicyRule<C> => ({
  field,
  removes,
  culprit: (names: Names, candidate: C, normalise: NormaliseModel) =>
    names[firstPlace(placesWith(normalise)(names), namesOf(candidate)) ?? -1] ?? null,
  mended: (names: Names, candidate: C, normalise: NormaliseModel) =>
    withoutNames(names, placesWith(normalise)(names), namesOf(candidate)),
  sharedBy: (names: Names, candidate: C, normalise: NormaliseModel) =>
    listedNames(placesWith(normalise)(names), namesOf(candidate))
})

const modelPlaces = remembered((normalise: NormaliseModel) => placesBy((name) => ignoredNames(name, normalise)))

const flag = (field: Field, needed: boolean, removes: PolicyRule["removes"]): PolicyRule => ({
  field,
  removes,
  culprit: () => !needed,
  mended: () => ({ to: needed })
})

const zdr = (group: ZdrGroup): PolicyRule =>
  flag(
    `enforce_zdr_${group}`,
    false,
    (policy, candidate) => candidate.zdr_group === group && candidate.retains && policy.enforced_zdr.has(group)
  )

/** They judge the models that server tools name, too. */
export const modelRules: readonly PolicyRule<PolicedModel>[] = [
  allowedList(
    "allowed_models",
    ({ allowed_models: allowed }, { model_name }) => allowed !== null && !allowed.has(model_name),
    ({ model }) => model
  ),
  ignoredList(
    "ignored_models",
    ({ ignored_models: ignored }, { model_names: names }) =>
      ignored.size > 0 && names.some((name) => ignored.has(name)),
    ({ model_names: names }) => names,
    modelPlaces
  )
]

export const policyRules: readonly PolicyRule[] = [
  allowedList<Candidate>(
    "allowed_providers",
    ({ allowed_providers: allowed }, { provider }) => allowed !== null && !allowed.has(provider),
    ({ provider }) => provider
  ),
  ignoredList<Candidate>(
    "ignored_providers",
    ({ ignored_providers: ignored }, { provider_names: names }) =>
      ignored.size > 0 && names.some((name) => ignored.has(name)),
    ({ provider_names: names }) => names,
    () => providerPlaces
  ),
  ...modelRules,
  ...zdrGroups.map(zdr),
  flag(
    "enable_paid_model_training",
    true,
    (policy, { trains, free }) => trains && !free && !policy.enable_paid_model_training
  ),
  flag(
    "enable_free_model_training",
    true,
    (policy, { trains, free }) => trains && free && !policy.enable_free_model_training
  ),
  flag(
    "enable_free_model_publication",
    true,
    (policy, { publishes, free }) => publishes && free && !policy.enable_free_model_publication
  )
]
