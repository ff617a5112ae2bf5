/** The pages of `docs/reference` are what the tables of the code say. `GATEWARDEN_WRITE_REFERENCE=1` writes them. */
import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { referencePages } from "./reference/pages.ts"

const folder = fileURLToPath(new URL("../../../docs/reference/", import.meta.url))

describe("the reference", () => {
  for (const [name, render] of Object.entries(referencePages))
    it(`has ${name} as the code has it`, () => {
      if (process.env["GATEWARDEN_WRITE_REFERENCE"] === "1") {
        mkdirSync(folder, { recursive: true })
        writeFileSync(`${folder}${name}`, render())
      } else assert.strictEqual(readFileSync(`${folder}${name}`, "utf8"), render(), "npm run reference writes it")
    })

  it("has no other page", () => {
    assert.deepEqual(readdirSync(folder).sort(), Object.keys(referencePages).sort())
  })
})
