/** How names of nouns, files, ports and tables are compared. */
import { posix } from "node:path"
import { rememberedOf } from "./databaseNames.ts"

export const compact = (name: string): string => name.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase()

export const numbers = (name: string): readonly string[] => [name, `${name}s`, name.replace(/y$/, "ies")]

const singular = rememberedOf((name) => compact(name).replace(/ies$/, "y").replace(/s$/, ""))

/** Whether a name is the noun, both in the singular or the plural. */
export const isNamed = (name: string, noun: string): boolean => singular(name) === singular(noun)

export const nameOf = (file: string): string => posix.basename(file, ".ts")

export const words = (file: string): string => nameOf(file).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** Files whose names begin with a noun's, and mean something else: a key of a provider, a file of the operating system, a directory of it. */
const homonyms: Readonly<Record<string, RegExp>> = {
  key: /(?:^|\/)keyMaterial\.test\.ts$/,
  file: /(?:^|\/)fileFailure\.ts$/,
  model: /(?:^|\/)modelSuite\.ts$/,
  provider: /(?:^|\/)(?:providerResources|demo\/provider)\.ts$/,
  directory: /(?:^|\/)directoryFileContents\.ts$/
}

/** Whether a file of another folder has a name that begins with the noun's, such as `usageExport.ts` and `terraform/resources/keys.ts`. */
export const beginsWith = (file: string, noun: string): boolean => {
  const joined = noun.replaceAll(/ \w/g, (letter) => letter.slice(1).toUpperCase())
  const begins = new RegExp(`^(?:${numbers(joined).join("|")})(?=[A-Z.])`)
  return begins.test(posix.basename(file)) && !file.startsWith(`${noun}/`) && homonyms[noun]?.test(file) !== true
}
