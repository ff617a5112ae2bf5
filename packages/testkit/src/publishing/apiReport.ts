/**
 * The public names of a package with the text of their types, read from its built declarations. Committed as `api.md` beside each
 * package, so that a change of a door is reviewed like code.
 */
import { createHash } from "node:crypto"
import { doorsOf, type Found, readDeclarations } from "./declarations.ts"
import type { PublishedPackage } from "./publishedPackages.ts"

/** A longer type, such as that of a table in zod, is cut here: its digest tells that it changed, its source what it is. */
const longest = 1_500

/** Where the compiler found a type that nobody named: it depends on what was built before. */
const withoutPaths = (text: string): string => text.replace(/\bimport\("\.[^"]*"\)\./g, "")

const cut = (text: string): string => {
  if (text.length <= longest) return text
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 12)
  return `${text.slice(0, 200).trimEnd()}\n// … ${text.length} characters in all, ${digest}`
}

const shown = (found: Found | undefined): string => {
  if (found === undefined) return "// not found"
  return "from" in found ? `// of ${found.from}` : cut(withoutPaths(found.text.trim()))
}

const byName = (a: string, b: string): number => (a < b ? -1 : 1)

/** The report of a package that was built. */
export const apiReport = (published: PublishedPackage): string => {
  const doors = doorsOf(published)
  const { lookUp, namesOf } = readDeclarations(doors)
  const sections = [...doors].map(([file, door]) => {
    const names = [...namesOf(file)].sort(byName)
    const entries = names.map((name) => `### ${name}\n\n\`\`\`ts\n${shown(lookUp(file, name))}\n\`\`\`\n`)
    return `## ${door}\n\n${names.length} names.\n\n${entries.join("\n")}`
  })
  return `# Public names of ${published.manifest.name}\n\nWritten by \`npm run api\` from the built declarations; a test fails while it is stale.\n\n${sections.join("\n")}`
}
