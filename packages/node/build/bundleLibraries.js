// @ts-check
/**
 * The libraries that every instance is made of as few files, for any runtime: to find and to open one takes longer than to compile what is in
 * it.
 *
 * Source: docs/decisions/0006-starting.md. Bundlers leave out what is not used of them as well as of modules.
 */
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { writeBundle } from "./writeBundle.js"

const packages = fileURLToPath(new URL("../../", import.meta.url))

/** The modules of what `exports` of the packages has, by the name of the bundle's file. @type {Record<string, Record<string, string>>} */
const libraries = {
  contract: { index: "index", internal: "internal" },
  core: {
    index: "index",
    lazy: "lazyIndex",
    effect: "effect",
    internal: "internal",
    scanning: "scanning",
    store: "store"
  }
}

/** A host has one copy of them: of `effect` and `zod` its own. */
const external = ["effect", "effect/*", "zod", "zod/*", "@gatewarden/*"]

const { resolve } = createRequire(import.meta.url)

/**
 * Imports each module of `effect` by its own name: an index loads all that it names, which is twice what we use. That a module is there is
 * found out here rather than by a host.
 *
 * @type {import("esbuild").Plugin}
 */
const narrow = {
  name: "narrow",
  setup: (options) =>
    options.onLoad({ filter: /[\\/]packages[\\/]\w+[\\/]dist[\\/].*\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8")
      const contents = text.replaceAll(/import \{([^}]*)\} from "(effect(?:\/\w+)?)";/g, (_, names, index) =>
        names
          .split(",")
          .map((/** @type {string} */ each) => {
            const [name = "", local = name] = each.trim().split(" as ")
            if (name !== "") resolve(`${index}/${name}`)
            return name === "" ? "" : `import * as ${local} from "${index}/${name}";`
          })
          .join(" ")
      )
      return { contents, loader: "js" }
    })
}

/** Takes what the compiler has made. */
export const bundleLibraries = () =>
  Promise.all(
    Object.entries(libraries).map(([name, entries]) => {
      const dist = join(packages, name, "dist")
      const modules = Object.entries(entries).map(([file, module]) => [file, join(dist, `${module}.js`)])
      return writeBundle(join(dist, "bundled"), Object.fromEntries(modules), {
        external,
        plugins: [narrow],
        platform: "neutral",
        mainFields: ["module", "main"]
      })
    })
  )
