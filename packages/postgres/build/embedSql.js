// @ts-check
/**
 * Writes `src/embedded/sqlTexts.ts` from the `.sql` files below `src`, so that the package needs no file at run time and can be bundled.
 *
 * A test finds a module that is not current; `npm run build` and a start of a clone write it first.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { argv } from "node:process"
import { fileURLToPath } from "node:url"

const source = new URL("../src/", import.meta.url)
const target = new URL("embedded/sqlTexts.ts", source)

/** The comment at the beginning of a file is for its readers: a change of it is no change of a function. */
const header = /^(?:--.*\n|\n)+/

/** The module as it should be. */
export const embeddedSql = () => {
  const names = readdirSync(source, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".sql"))
    .sort()
  const texts = names.map((path) => {
    const text = readFileSync(new URL(path, source), "utf8").replaceAll("\r\n", "\n").replace(header, "")
    return `  ${JSON.stringify(path.slice(0, -".sql".length))}: ${JSON.stringify(text)}`
  })
  return `/** Written by \`build/embedSql.js\` from the \`.sql\` files. Edit those. */\nexport const sqlTexts = {\n${texts.join(",\n")}\n}\n`
}

/** Writes the module if it is not current. */
export const embedSql = () => {
  const text = embeddedSql()
  if (text !== readFileSync(target, "utf8")) writeFileSync(target, text)
}

if (argv[1] === fileURLToPath(import.meta.url)) embedSql()
