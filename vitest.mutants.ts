/**
 * What `npm run mutants` runs: the tests of rules, and those of the memory store, over sources of which each expression can be replaced by a
 * wrong one.
 */
import { Instrumenter } from "@stryker-mutator/instrumenter"
import { readFileSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { mutatedTests } from "./vitest.workspace.ts"

const folders = (process.env["GATEWARDEN_MUTANTS_OF"] ?? "ledger,limits,platform,policy,value").split(",")
const share = Number(process.env["GATEWARDEN_MUTANTS_SHARE"] ?? "1")
const seed = Number(process.env["GATEWARDEN_SEED"] ?? "1")

const source = fileURLToPath(new URL("./packages/core/src/", import.meta.url))

const names = folders.flatMap((name) =>
  name.endsWith(".ts")
    ? [join(source, name)]
    : readdirSync(join(source, name), { encoding: "utf8", recursive: true })
        .filter((path) => path.endsWith(".ts"))
        .toSorted()
        .map((path) => join(source, name, path))
)

const silent = { isDebugEnabled: () => false, debug: () => {}, info: () => {} } as never

const { files, mutants } = await new Instrumenter(silent).instrument(
  names.map((name) => ({ name, mutate: true, content: readFileSync(name, "utf8") })),
  { plugins: null, ignorers: [], excludedMutations: [] }
)
const texts = new Map(files.map(({ name, content }) => [name, content]))

/** A number from 0 to 1 that depends on the seed and the mutant alone. */
const drawn = (id: string): number => {
  let state = Math.imul(seed + Number(id), 0x9e_37_79_b1)
  state = Math.imul(state ^ (state >>> 15), 0x85_eb_ca_6b)
  return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
}
const sampled = mutants.filter(({ id }) => drawn(id) < share)

writeFileSync(
  process.env["GATEWARDEN_MUTANTS_LIST"] ?? "/dev/null",
  JSON.stringify(sampled.map(({ fileName, ...mutant }) => ({ ...mutant, file: fileName.slice(source.length) })))
)

export default defineConfig(
  mutatedTests({
    env: { GATEWARDEN_MUTANTS_SAMPLED: sampled.map(({ id }) => id).join(","), GATEWARDEN_TEST_MEMORY: "1" },
    runner: fileURLToPath(new URL("./packages/tests/mutation/MutantRunner.ts", import.meta.url)),
    plugins: [{ name: "mutants", enforce: "pre", load: (id: string) => texts.get(id.split("?")[0] ?? "") ?? null }]
  })
)
