import type { CatalogEndpoint, CatalogModel } from "@gatewarden/contract"

export interface ModelName {
  /** The name without its variant. */
  readonly slug: string
  /** The part after the colon, or `""`. */
  readonly variant: string
}

/** A resolved model name: the name under which usage is recorded, and the modalities. */
export interface ResolvedModel extends ModelName {
  readonly input_modalities: readonly string[]
  readonly output_modalities: readonly string[]
}

/** The fields of an entry that the rules use. */
export type NamedModel = Pick<CatalogModel, "id" | "canonical_slug">

/** A colon at either end of the segment is not a separator. */
export const splitVariant = (name: string): ModelName => {
  const colon = name.lastIndexOf(":")
  const segment = name.lastIndexOf("/") + 1
  return colon > segment && colon < name.length - 1
    ? { slug: name.slice(0, colon), variant: name.slice(colon + 1) }
    : { slug: name, variant: "" }
}

export const joinVariant = ({ slug, variant }: ModelName): string => (variant === "" ? slug : `${slug}:${variant}`)

/**
 * The name under which an entry's own usage is recorded: its canonical slug, and the variant of that or else of its id.
 * Catalogs often give `author/slug:free` the canonical slug of `author/slug`; the two are ranked and measured separately.
 */
export const recordedName = (model: NamedModel): ModelName => {
  const canonical = splitVariant(model.canonical_slug)
  return canonical.variant === "" ? { ...canonical, variant: splitVariant(model.id).variant } : canonical
}

/** The ids and slugs to look up for names: the entry for a name has one of them. */
export const namesToFind = (names: readonly string[]): readonly string[] => [
  ...new Set(
    names.flatMap((name) => {
      const base = splitVariant(name).slug
      return [name, base, splitVariant(base).slug]
    })
  )
]

/** The first of an entry's names that is the name as written, else the first that is its base; undefined when none is. */
const rankOf = (name: string, names: readonly string[]): number | undefined => {
  const exact = names.indexOf(name)
  if (exact !== -1) return exact
  const base = names.indexOf(splitVariant(name).slug)
  return base === -1 ? undefined : names.length + base
}

/** The items of the lowest rank. */
const lowest = <T>(items: Iterable<T>, rank: (item: T) => number | undefined): readonly T[] => {
  let found: T[] = []
  let lowestRank = Number.POSITIVE_INFINITY
  for (const item of items) {
    const own = rank(item)
    if (own === undefined || own > lowestRank) continue
    if (own < lowestRank) found = []
    lowestRank = own
    found.push(item)
  }
  return found
}

/** The entry for a name: by id before canonical slug, as written before its base. Of several entries, the one with the smallest id. */
export const findModel = <M extends NamedModel>(name: string, models: Iterable<M>): M | undefined =>
  lowest(models, (model) => rankOf(name, [model.id, joinVariant(recordedName(model)), model.canonical_slug])).reduce<
    M | undefined
  >((first, model) => (first === undefined || model.id < first.id ? model : first), undefined)

/**
 * The entries that recorded usage belongs to: those of its variant, otherwise those without one. Only slugs are compared, because usage is
 * recorded under canonical slugs.
 */
export const entriesOf = <M extends NamedModel>(recorded: ModelName, models: Iterable<M>): readonly M[] =>
  lowest(models, (model) => {
    const own = recordedName(model)
    if (own.slug !== recorded.slug) return undefined
    if (own.variant === recorded.variant) return 0
    if (recorded.variant === "" && model.canonical_slug === recorded.slug) return 1
    if (own.variant === "") return 2
    return model.canonical_slug === recorded.slug ? 3 : undefined
  })

/** Which variants of a slug's recorded usage belong to an entry: the included, and if `others` all that are not listed. */
export interface Variants {
  readonly included: readonly string[]
  readonly listed: readonly string[]
  readonly others: boolean
}

/** Stands for all variants that the catalog does not name; no name has a variant of white space. */
const unlisted = " "

/**
 * The variants that belong to an entry, given every entry of its slug: of each variant those that `entriesOf` gives. An account may have a
 * thousand entries of one slug, so not every pair is compared.
 */
export const variantsOf = <M extends NamedModel>(model: M, models: Iterable<M>): Variants => {
  const { slug, variant } = recordedName(model)
  const family = [...models].filter((other) => recordedName(other).slug === slug)
  const named = new Set(family.map((other) => recordedName(other).variant))
  const listed = [...new Set(["", ...named])]
  // By id: a store reads the same entry anew each time, as another object.
  const owns = (asked: string) => entriesOf({ slug, variant: asked }, family).some(({ id }) => id === model.id)
  // A variant that an entry has belongs to the entries that have it.
  const others = owns(unlisted)
  const included = [...(variant === "" ? [] : [variant]), ...(owns("") ? [""] : [])]
  return { included: listed.filter((one) => included.includes(one)), listed, others }
}

export const hasVariant = ({ included, listed, others }: Variants, variant: string): boolean =>
  included.includes(variant) || (others && !listed.includes(variant))

/**
 * Resolves the name of a model in a request or an event to an entry of the catalog, and recorded usage to the entries that it belongs to.
 *
 * Rule: models#model-names. The variant is what follows the last colon of the last path segment.
 *
 * The form in which a name is recorded: under the entry's canonical slug, with the variant of that or else of the name.
 */
export const resolveModelName = (
  name: string,
  models: Iterable<NamedModel & Pick<CatalogModel, "architecture">>
): ResolvedModel | undefined => {
  const model = findModel(name, models)
  return model && recordedAs(name, model)
}

const recordedAs = (
  name: string,
  { canonical_slug, architecture }: NamedModel & Pick<CatalogModel, "architecture">
): ResolvedModel => {
  const { slug, variant } = splitVariant(canonical_slug)
  const { input_modalities, output_modalities } = architecture
  return { slug, variant: variant === "" ? splitVariant(name).variant : variant, input_modalities, output_modalities }
}

/**
 * An index of tens of thousands of models by name.
 *
 * Models by id and by slug: the models that have one of the names.
 */
export const modelsNamed = <M extends NamedModel>(
  models: Iterable<M>
): ((names: readonly string[]) => readonly M[]) => {
  const byName = new Map<string, M[]>()
  for (const model of models)
    for (const name of new Set([model.id, recordedName(model).slug])) {
      const others = byName.get(name)
      if (others === undefined) byName.set(name, [model])
      else others.push(model)
    }
  return (names) => names.flatMap((name) => byName.get(name) ?? [])
}

/** Finds what `findModel` finds, without going through all models for each name. */
const modelFinder = <M extends NamedModel>(models: Iterable<M>): ((name: string) => M | undefined) => {
  const byName = [new Map<string, M>(), new Map<string, M>(), new Map<string, M>()]
  for (const model of models)
    for (const [rank, name] of [model.id, joinVariant(recordedName(model)), model.canonical_slug].entries()) {
      const known = byName[rank]?.get(name)
      if (known === undefined || model.id < known.id) byName[rank]?.set(name, model)
    }
  return (name) => {
    for (const wanted of [name, splitVariant(name).slug])
      for (const known of byName) {
        const model = known.get(wanted)
        if (model !== undefined) return model
      }
    return undefined
  }
}

/** How the names are recorded, by name. Names that no model has are absent. */
export function* resolveNames(
  names: readonly string[],
  models: Iterable<NamedModel & Pick<CatalogModel, "architecture">>
): Generator<void, ReadonlyMap<string, ResolvedModel>> {
  const find = modelFinder(models)
  const resolved = new Map<string, ResolvedModel>()
  for (const name of names) {
    yield
    const model = find(name)
    if (model !== undefined) resolved.set(name, recordedAs(name, model))
  }
  return resolved
}

/**
 * The names that lists of ignored names and preferences are compared with: without case and without surrounding white space. A name
 * without a variant covers all variants of the model.
 *
 * Rule: guardrails#ignored-names.
 */
export const foldModelName = (name: string): string => name.trim().toLowerCase()

const folded = (names: readonly string[]): readonly string[] => [...new Set(names.map(foldModelName))]

/** Id, canonical slug, and both without their variant. */
export const modelNamesOf = ({ id, canonical_slug }: Pick<CatalogModel, "id" | "canonical_slug">): readonly string[] =>
  folded([
    id,
    joinVariant(recordedName({ id, canonical_slug })),
    splitVariant(id).slug,
    splitVariant(canonical_slug).slug
  ])

/** The names of a model that the catalog has not. */
export const namesOfUnlisted = (name: string): readonly string[] => folded([name, splitVariant(name).slug])

export type ProviderNames = Pick<CatalogEndpoint, "provider_slug" | "provider_name" | "tag">

/** The provider's slug and name, and the endpoint's tag. */
export const providerNamesOf = ({ provider_slug, provider_name, tag }: ProviderNames): readonly string[] =>
  folded([provider_slug, provider_name, tag])
