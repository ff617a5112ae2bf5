import { entriesOf } from "../../catalog/modelNames.ts"
import type { Tables } from "./Tables.ts"

/** Whether usage recorded under a name is of a public model of the installation. Remembers each name: for one look at the tables. */
export const publicModels = ({ models }: Tables) => {
  const entries = [...models.of(null).values()].map(({ model }) => model)
  const publicity = new Map<string, boolean>()
  return (slug: string, variant: string): boolean => {
    const name = `${slug} ${variant}`
    const known = publicity.get(name)
    if (known !== undefined) return known
    const found = entriesOf({ slug, variant }, entries).some((entry) => entry.public)
    publicity.set(name, found)
    return found
  }
}
