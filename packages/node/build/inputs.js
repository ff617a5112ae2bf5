// @ts-check
/** What the executable of a clone is built from, and whether it was built from what is there now. */
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

export const repository = fileURLToPath(new URL("../../../", import.meta.url))

const packages = ["contract", "client", "core", "postgres", "clickhouse", "node"].map((name) => `packages/${name}`)

/** Each is looked at with what lies in it. */
const inputs = [
  "package-lock.json",
  "tsconfig.base.json",
  "packages/node/build",
  "packages/postgres/build",
  ...packages.flatMap((path) => [`${path}/src`, `${path}/package.json`, `${path}/tsconfig.json`])
]

/** What the build makes; whoever removes one of them wants it made again. */
const outputs = [
  "packages/node/dist/executable",
  "packages/node/dist/swagger-ui",
  "packages/contract/dist/bundled",
  "packages/core/dist/bundled",
  ...packages.map((path) => `${path}/dist/index.js`)
]

/** Not published: there, nothing is built. */
const note = `${repository}packages/node/dist/built.tsbuildinfo`

/** @type {(path: string) => string[]} */
const listed = (path) => {
  const found = statSync(repository + path)
  if (!found.isDirectory()) return [`${path} ${found.size} ${found.mtimeMs}`]
  return readdirSync(repository + path)
    .sort()
    .flatMap((name) => listed(`${path}/${name}`))
}

/** A digest of the names, sizes and times of everything: reading it all would take longer than the start. */
export const stateOfInputs = () => createHash("sha1").update(inputs.flatMap(listed).join("\n")).digest("hex")

export const isBuilt = () =>
  outputs.every((path) => existsSync(repository + path)) &&
  existsSync(note) &&
  readFileSync(note, "utf8") === stateOfInputs()

/** @type {(state: string) => void} */
export const noteBuilt = (state) => writeFileSync(note, state)
