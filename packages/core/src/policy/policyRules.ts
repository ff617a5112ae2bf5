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
import { type Candidate, foldedNames, type PolicedModel } from "./Candidate.ts"
import type { Policy } from "./Policy.ts"

/** The form in which a model name of a list is compared: the name under which the catalog records it, or itself if it is unknown. */
export type NormaliseModel = (name: string) => string

type Field = Exclude<keyof Guardrail, "id" | "workspace_id" | "name" | "created_at" | "updated_at">

export interface PolicyRule<C = Candidate> {
  readonly field: Field
  /** What of a candidate the rule reads, if its lists may be long: candidates that have it in common are judged once. */
  readonly reads?: (candidate: C) => string
  readonly removes: (policy: Policy, candidate: C) => boolean
  /** What of the field's value did it. */
  readonly culprit: (value: never, candidate: C, normalise: NormaliseModel) => unknown
  /** The nearest value of the field that does not remove the candidate. */
  readonly mended: (value: never, candidate: C, normalise: NormaliseModel) => unknown
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

const orNull = (names: Names): Names | null => (names.length === 0 ? null : names)

const allowedList = <C>(
  field: Field,
  reads: (candidate: C) => string,
  removes: PolicyRule<C>["removes"],
  nameOf: (candidate: C) => string
): PolicyRule<C> => ({
  field,
  reads,
  removes,
  culprit: (names: Names) => names,
  mended: (names: Names, candidate: C) => [...names, nameOf(candidate)]
})

const ignoredList = <C>(
  field: Field,
  reads: (candidate: C) => string,
  removes: PolicyRule<C>["removes"],
  namesOf: (candidate: C) => readonly string[],
  standFor: (normalise: NormaliseModel) => (names: Names) => readonly (readonly string[])[]
): PolicyRule<C> => {
  const matching = (names: Names, candidate: C, normalise: NormaliseModel) => {
    const own = namesOf(candidate)
    const meant = standFor(normalise)(names)
    return (_: string, index: number): boolean => meant[index]?.some((name) => own.includes(name)) === true
  }
  return {
    field,
    reads,
    removes,
    culprit: (names: Names, candidate: C, normalise: NormaliseModel) =>
      names.find(matching(names, candidate, normalise)) ?? null,
    mended: (names: Names, candidate: C, normalise: NormaliseModel) => {
      const matches = matching(names, candidate, normalise)
      return orNull(names.filter((name, index) => !matches(name, index)))
    }
  }
}

/** The folded names that each entry of a list of ignored names stands for: computed once, as the list is compared with every candidate. */
const providersMeant = remembered((names: Names) => foldedNames(names).map((name) => [name]))
const modelsMeant = remembered((normalise: NormaliseModel) =>
  remembered((names: Names) => names.map((name) => ignoredNames(name, normalise)))
)

const flag = (field: Field, needed: boolean, removes: PolicyRule["removes"]): PolicyRule => ({
  field,
  removes,
  culprit: () => !needed,
  mended: () => needed
})

const zdr = (group: ZdrGroup): PolicyRule =>
  flag(
    `enforce_zdr_${group}`,
    false,
    (policy, candidate) => candidate.zdr_group === group && candidate.retains && policy.enforced_zdr.has(group)
  )

const readModel = ({ model }: PolicedModel): string => model

const readProvider = ({ provider_names }: Candidate): string => provider_names.join("\n")

/** They judge the models that server tools name, too. */
export const modelRules: readonly PolicyRule<PolicedModel>[] = [
  allowedList(
    "allowed_models",
    readModel,
    ({ allowed_models: allowed }, { model_name }) => allowed !== null && !allowed.has(model_name),
    ({ model }) => model
  ),
  ignoredList(
    "ignored_models",
    readModel,
    ({ ignored_models: ignored }, { model_names: names }) =>
      ignored.size > 0 && names.some((name) => ignored.has(name)),
    ({ model_names: names }) => names,
    modelsMeant
  )
]

export const policyRules: readonly PolicyRule[] = [
  allowedList<Candidate>(
    "allowed_providers",
    readProvider,
    ({ allowed_providers: allowed }, { provider }) => allowed !== null && !allowed.has(provider),
    ({ provider }) => provider
  ),
  ignoredList<Candidate>(
    "ignored_providers",
    readProvider,
    ({ ignored_providers: ignored }, { provider_names: names }) =>
      ignored.size > 0 && names.some((name) => ignored.has(name)),
    ({ provider_names: names }) => names,
    () => providersMeant
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
