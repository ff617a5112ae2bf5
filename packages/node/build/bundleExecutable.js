// @ts-check
/**
 * The modules of the executable in one file: loading some 1,300 of them takes longer than all else that a start does.
 *
 * Unlike the bundles of libraries it has all that it needs in it, `effect` among it.
 */
import { readFile } from "node:fs/promises"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { writeBundle } from "./writeBundle.js"

const dist = fileURLToPath(new URL("../dist/", import.meta.url))
const packages = fileURLToPath(new URL("../../", import.meta.url))
const executable = join(dist, "executable")

/** They load files beside themselves, or are not there for everybody. */
const external = ["@electric-sql/pglite", "re2"]

/** Where a module of a package lies once it is installed, seen from the bundle: as code. @type {(path: string) => string} */
const placeOf = (path) => {
  const [name = "", ...rest] = relative(packages, path).split("/")
  return name === "node"
    ? `new URL(${JSON.stringify(relative(executable, path))}, import.meta.url).href`
    : `new URL(${JSON.stringify(`./${rest.slice(1).join("/")}`)}, import.meta.resolve("@gatewarden/${name}")).href`
}

/** What our modules find beside themselves they find from the bundle. @type {import("esbuild").Plugin} */
const places = {
  name: "places",
  setup: (options) =>
    options.onLoad({ filter: /[\\/]packages[\\/]\w+[\\/]dist[\\/].*\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8")
      return { contents: text.replaceAll("import.meta.url", placeOf(path)), loader: "js" }
    })
}

/** Takes what the compiler has made. */
export const bundleExecutable = () =>
  writeBundle(
    executable,
    { gatewarden: join(dist, "gatewarden.js") },
    {
      external,
      // Of libraries the modules, not the bundles: those have libraries of their own.
      conditions: ["@gatewarden/compiled"],
      plugins: [places],
      // Packages that are not of ECMAScript modules ask for what Node has.
      banner: {
        js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);'
      }
    }
  )
