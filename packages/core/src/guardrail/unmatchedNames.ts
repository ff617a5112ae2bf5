/**
 * Names in the lists of a guardrail that match nothing in the catalog. Most are typing errors, and the list allows or ignores less than its
 * author believes. They are accepted, because catalogs change, and reported as warnings. Rule: guardrails#unmatched-names.
 */
import type { Guardrail, GuardrailWarning } from "@gatewarden/contract/internal"
import { Effect } from "effect"
import { ProviderTable } from "../byok/byok.ts"
import {
  foldModelName,
  joinVariant,
  modelNamesOf,
  providerNamesOf,
  recordedName,
  resolveNames
} from "../catalog/modelNames.ts"
import { ModelCatalog } from "../ports/models.ts"
import { inSlices } from "../value/inSlices.ts"

const fields = ["allowed_models", "allowed_providers", "ignored_models", "ignored_providers"] as const
type ListField = (typeof fields)[number]

export interface UnmatchedName {
  readonly field: ListField
  readonly index: number
  readonly value: string
}

/** The lists of a guardrail, or of a write, which may leave them out. */
export type NameLists = { readonly [Field in ListField]?: readonly string[] | null | undefined }

type Matches = Readonly<Record<ListField, (name: string) => boolean>>

const namesIn = (...lists: readonly (readonly string[] | null | undefined)[]): readonly string[] => [
  ...new Set(lists.flatMap((list) => list ?? []))
]

/** Allowed names are compared as they are recorded, ignored ones folded and with every variant. */
const modelMatches = Effect.fnUntraced(function* (account_id: string, { allowed_models, ignored_models }: NameLists) {
  const catalog = yield* ModelCatalog
  const names = namesIn(allowed_models, ignored_models)
  const known = names.length === 0 ? [] : yield* catalog.named(account_id, [...names, ...names.map(foldModelName)])
  const recorded = new Set(known.map((model) => joinVariant(recordedName(model))))
  const covered = new Set(known.flatMap(modelNamesOf))
  const others = namesIn(ignored_models).filter((name) => !covered.has(foldModelName(name)))
  // Many catalogs have a model with its variants alone.
  const variants =
    others.length === 0 ? [] : yield* catalog.variantsNamed(account_id, [...others, ...others.map(foldModelName)])
  for (const name of variants.flatMap(modelNamesOf)) covered.add(name)
  const resolved = yield* inSlices(resolveNames(names, known))
  const recordedAs = (name: string): string | undefined => {
    const model = resolved.get(name)
    return model && joinVariant(model)
  }
  return {
    allowed_models: (name) => recorded.has(recordedAs(name) ?? name),
    // An unlisted variant is served by its base model, which the list does not name.
    ignored_models: (name) => covered.has(foldModelName(name)) || covered.has(foldModelName(recordedAs(name) ?? name))
  } satisfies Pick<Matches, "allowed_models" | "ignored_models">
})

/** Allowed names are slugs, ignored ones slugs, names or tags without case. */
const providerMatches = Effect.fnUntraced(function* (
  account_id: string,
  { allowed_providers, ignored_providers }: NameLists
) {
  const listed = yield* ProviderTable
  const others = namesIn(allowed_providers, ignored_providers)
    .map(foldModelName)
    .filter((name) => !listed.has(name))
  const serving = others.length === 0 ? [] : yield* (yield* ModelCatalog).providersNamed(account_id, others)
  const slugs = new Set(serving.map(({ provider_slug }) => provider_slug))
  const all = new Set(serving.flatMap(providerNamesOf))
  return {
    allowed_providers: (name) => listed.has(name) || slugs.has(name),
    ignored_providers: (name) => listed.has(foldModelName(name)) || all.has(foldModelName(name))
  } satisfies Pick<Matches, "allowed_providers" | "ignored_providers">
})

/** In the order of the fields and of the lists. */
export const unmatchedNames = Effect.fnUntraced(function* (account_id: string, lists: NameLists) {
  const matches: Matches = {
    ...(yield* modelMatches(account_id, lists)),
    ...(yield* providerMatches(account_id, lists))
  }
  return fields.flatMap((field) =>
    (lists[field] ?? []).flatMap((value, index): readonly UnmatchedName[] =>
      matches[field](value) ? [] : [{ field, index, value }]
    )
  )
})

const messages: Readonly<Record<ListField, (name: string) => string>> = {
  allowed_models: (name) =>
    `The catalog has no model called ${JSON.stringify(name)}; until it has one, this entry allows nothing`,
  allowed_providers: (name) =>
    `No provider has the slug ${JSON.stringify(name)}; until the catalog has one, this entry allows nothing`,
  ignored_models: (name) =>
    `The catalog has no model called ${JSON.stringify(name)}; until it has one, this entry ignores nothing`,
  ignored_providers: (name) =>
    `The catalog has no provider and no endpoint called ${JSON.stringify(name)}; until it has one, this entry ignores nothing`
}

const codes = {
  allowed_models: "unknown_model",
  allowed_providers: "unknown_provider",
  ignored_models: "unknown_model",
  ignored_providers: "unknown_provider"
} as const

/** The response to a write: the guardrail, and the unmatched names of the lists that the write sets. */
export const withWarnings = (account_id: string, data: Guardrail, written: NameLists) =>
  Effect.map(unmatchedNames(account_id, written), (names) => {
    const warnings = names.map(({ field, index, value }): GuardrailWarning => ({
      path: `${field}.${index}`,
      code: codes[field],
      message: messages[field](value)
    }))
    return warnings.length === 0 ? { data } : { data, warnings }
  })
