/** An index of tens of thousands of models by name. */
import type { CatalogModel } from "@gatewarden/contract"
import {
  type NamedModel,
  namesToFind,
  recordedName,
  type ResolvedModel,
  resolveModelName
} from "../catalog/resolveModelName.ts"

/** Models by id and by slug: the models that have one of the names. */
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

/** How the names are recorded, by name. Names that no model has are absent. */
export function* resolveNames(
  names: readonly string[],
  models: Iterable<NamedModel & Pick<CatalogModel, "architecture">>
): Generator<void, ReadonlyMap<string, ResolvedModel>> {
  const near = modelsNamed(models)
  const resolved = new Map<string, ResolvedModel>()
  for (const name of names) {
    yield
    const model = resolveModelName(name, near(namesToFind([name])))
    if (model !== undefined) resolved.set(name, model)
  }
  return resolved
}
