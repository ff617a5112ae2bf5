/**
 * Ignored names of a guardrail that match nothing in the catalog. Most are typing errors, and the list ignores less than its author
 * believes. They are accepted, because catalogs change, and reported as warnings. Rule: guardrails#ignored-names.
 */
import type { Guardrail, GuardrailWarning } from "@gatewarden/contract"
import { Effect } from "effect"
import { ProviderTable } from "../byok/ProviderTable.ts"
import { foldName, modelNamesOf } from "../model/foldedNames.ts"
import { ModelCatalog } from "../model/ModelCatalog.ts"
import { joinVariant, resolveModelName } from "../model/resolveModelName.ts"

type IgnoredField = "ignored_models" | "ignored_providers"

export interface UnmatchedName {
  readonly field: IgnoredField
  readonly index: number
  readonly value: string
}

/** The lists of a guardrail, or of a write, which may leave them out. */
export type IgnoredLists = { readonly [Field in IgnoredField]?: readonly string[] | null | undefined }

const unmatched = (field: IgnoredField, names: readonly string[], isMatched: (name: string) => boolean) =>
  names.flatMap((value, index): readonly UnmatchedName[] => (isMatched(value) ? [] : [{ field, index, value }]))

const unmatchedModels = Effect.fnUntraced(function* (account_id: string, names: readonly string[]) {
  if (names.length === 0) return []
  const known = yield* (yield* ModelCatalog).named(account_id, [...names, ...names.map(foldName)])
  const covered = new Set(known.flatMap(modelNamesOf))
  return unmatched("ignored_models", names, (name) => {
    const resolved = resolveModelName(name, known)
    // An unlisted variant is served by its base model, which the list does not name.
    return covered.has(foldName(name)) || (resolved !== undefined && covered.has(foldName(joinVariant(resolved))))
  })
})

const unmatchedProviders = Effect.fnUntraced(function* (account_id: string, names: readonly string[]) {
  const listed = yield* ProviderTable
  const others = [...new Set(names.map(foldName))].filter((name) => !listed.has(name))
  if (others.length === 0) return []
  const serving = yield* (yield* ModelCatalog).providersNamed(account_id, others)
  return unmatched("ignored_providers", names, (name) => listed.has(foldName(name)) || serving.has(foldName(name)))
})

/** In the order of the fields and of the lists. */
export const unmatchedNames = Effect.fnUntraced(function* (
  account_id: string,
  { ignored_models, ignored_providers }: IgnoredLists
) {
  return [
    ...(yield* unmatchedModels(account_id, ignored_models ?? [])),
    ...(yield* unmatchedProviders(account_id, ignored_providers ?? []))
  ]
})

const messages: Readonly<Record<IgnoredField, (name: string) => string>> = {
  ignored_models: (name) =>
    `The catalog has no model called ${JSON.stringify(name)}; until it has one, this entry ignores nothing`,
  ignored_providers: (name) =>
    `The catalog has no provider and no endpoint called ${JSON.stringify(name)}; until it has one, this entry ignores nothing`
}

const codes = { ignored_models: "unknown_model", ignored_providers: "unknown_provider" } as const

/** The response to a write: the guardrail, and the unmatched names of the lists that the write sets. */
export const withWarnings = (account_id: string, data: Guardrail, written: IgnoredLists) =>
  Effect.map(unmatchedNames(account_id, written), (names) => {
    const warnings = names.map(({ field, index, value }): GuardrailWarning => ({
      path: `${field}.${index}`,
      code: codes[field],
      message: messages[field](value)
    }))
    return warnings.length === 0 ? { data } : { data, warnings }
  })
