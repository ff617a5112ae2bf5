/**
 * The names that lists of ignored names and preferences are compared with: without case and without surrounding white space. A name
 * without a variant covers all variants of the model.
 *
 * Rule: guardrails#ignored-names.
 */
import type { CatalogEndpoint, CatalogModel } from "@gatewarden/contract"
import { joinVariant, recordedName, splitVariant } from "./resolveModelName.ts"

export const foldName = (name: string): string => name.trim().toLowerCase()

const folded = (names: readonly string[]): readonly string[] => [...new Set(names.map(foldName))]

/** Id, canonical slug, and both without their variant. */
export const modelNamesOf = ({ id, canonical_slug }: Pick<CatalogModel, "id" | "canonical_slug">): readonly string[] =>
  folded([
    id,
    joinVariant(recordedName({ id, canonical_slug })),
    splitVariant(id).slug,
    splitVariant(canonical_slug).slug
  ])

export type ProviderNames = Pick<CatalogEndpoint, "provider_slug" | "provider_name" | "tag">

/** The provider's slug and name, and the endpoint's tag. */
export const providerNamesOf = ({ provider_slug, provider_name, tag }: ProviderNames): readonly string[] =>
  folded([provider_slug, provider_name, tag])
