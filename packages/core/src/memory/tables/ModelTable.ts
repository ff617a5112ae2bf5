/**
 * Models of a catalog as the in-memory store keeps them, found by id, by owner and by slug without a look at all others: a catalog may
 * have tens of thousands.
 */
import type { CatalogModel } from "@gatewarden/contract"
import { recordedName } from "../../catalog/modelNames.ts"
import type { OwnModelLimits } from "../../catalog/ownModels.ts"

export interface ModelRow {
  readonly model: CatalogModel
  /** When canonical slug or publicity last changed. */
  readonly listed_at: string
}

/** Of one owner. */
interface Catalog {
  readonly byId: Map<string, ModelRow>
  readonly idsBySlug: Map<string, Set<string>>
}

const slugOf = (model: CatalogModel): string => recordedName(model).slug

const enter = ({ byId, idsBySlug }: Catalog, row: ModelRow): void => {
  const { id } = row.model
  const slug = slugOf(row.model)
  byId.set(id, row)
  const ids = idsBySlug.get(slug)
  if (ids === undefined) idsBySlug.set(slug, new Set([id]))
  else ids.add(id)
}

/** Values that are compared in one step. */
const comparedAtOnce = 1_000

/** Whether two JSON values are the same. In steps. */
export function* isSameValue(one: unknown, other: unknown): Generator<void, boolean> {
  const open: (readonly [unknown, unknown])[] = [[one, other]]
  for (let compared = 1; open.length > 0; compared++) {
    if (compared % comparedAtOnce === 0) yield
    const [a, b] = open.pop() ?? []
    if (a === b) continue
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
    const names = Object.keys(a)
    if (Array.isArray(a) !== Array.isArray(b) || names.length !== Object.keys(b).length) return false
    for (const name of names) {
      if (!Object.hasOwn(b, name)) return false
      open.push([Reflect.get(a, name), Reflect.get(b, name)])
    }
  }
  return true
}

/** Told of a write that was committed: whose models, and how many. */
type OnPut = (owner: string | null, models: number) => void

export class ModelTable {
  readonly #onPut: OnPut
  readonly #catalogs = new Map<string | null, Catalog>()

  constructor(onPut: OnPut) {
    this.#onPut = onPut
  }

  #catalogOf(owner: string | null): Catalog {
    const known = this.#catalogs.get(owner)
    if (known !== undefined) return known
    const made: Catalog = { byId: new Map(), idsBySlug: new Map() }
    this.#catalogs.set(owner, made)
    return made
  }

  of(owner: string | null): ReadonlyMap<string, ModelRow> {
    return this.#catalogOf(owner).byId
  }

  /** The models whose slug is one of the names, or that of a model whose id is one. */
  ofFamilies(owner: string | null, names: Iterable<string>): readonly CatalogModel[] {
    const { byId, idsBySlug } = this.#catalogOf(owner)
    const slugs = new Set<string>()
    for (const name of names) {
      slugs.add(name)
      const row = byId.get(name)
      if (row !== undefined) slugs.add(slugOf(row.model))
    }
    const ids = [...slugs].flatMap((slug) => [...(idsBySlug.get(slug) ?? [])])
    return ids.flatMap((id) => byId.get(id)?.model ?? [])
  }

  /** Whether any of the models is not there as it is. In steps, as models are compared to the last field. */
  *differs(owner: string | null, models: readonly CatalogModel[]): Generator<void, boolean> {
    for (const model of models) {
      if (!(yield* isSameValue(this.of(owner).get(model.id)?.model, model))) return true
      yield
    }
    return false
  }

  /**
   * Writes all of the models, and one change to the log. In steps that nobody sees: what is read meanwhile is the catalog as it was. It
   * begins anew where another wrote meanwhile. False, and nothing was written, where there would be more than the limits.
   */
  *put(
    owner: string | null,
    models: readonly CatalogModel[],
    now: string,
    limits?: OwnModelLimits
  ): Generator<void, boolean> {
    let base: Catalog
    let next: Catalog
    do {
      base = this.#catalogOf(owner)
      next = { byId: new Map(), idsBySlug: new Map() }
      for (const row of base.byId.values()) {
        enter(next, row)
        yield
      }
      for (const model of models) {
        const known = next.byId.get(model.id)
        if (known !== undefined && slugOf(known.model) !== slugOf(model))
          next.idsBySlug.get(slugOf(known.model))?.delete(model.id)
        const isListed = known?.model.canonical_slug === model.canonical_slug && known.model.public === model.public
        enter(next, { model, listed_at: isListed ? known.listed_at : now })
        yield
      }
      if (limits !== undefined) {
        let characters = 0
        let endpoints = 0
        for (const { model } of next.byId.values()) {
          characters += JSON.stringify(model).length
          endpoints += model.endpoints.length
          yield
        }
        if (next.byId.size > limits.models || endpoints > limits.endpoints || characters > limits.characters)
          return false
      }
    } while (this.#catalogOf(owner) !== base)
    this.#catalogs.set(owner, next)
    this.#onPut(owner, models.length)
    return true
  }
}
