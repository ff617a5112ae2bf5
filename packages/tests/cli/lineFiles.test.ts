/** The lines of a backup are read as they were written. Rule: operating#moving-an-installation. */
import { assert, it } from "@effect/vitest"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readLineFile, writeLines } from "../../node/src/backup/lineFiles.ts"

const batchesOf = async (lines: readonly string[]): Promise<readonly (readonly string[])[]> => {
  const directory = await mkdtemp(join(tmpdir(), "gatewarden-lines-"))
  try {
    const path = join(directory, "table.ndjson.gz")
    const { write, end } = writeLines(path)
    await write(lines)
    await end()
    const read: (readonly string[])[] = []
    for await (const some of readLineFile(path)) read.push(some)
    return read
  } finally {
    await rm(directory, { recursive: true })
  }
}

const reread = async (lines: readonly string[]) => (await batchesOf(lines)).flat()

/** Ends of lines to Unicode, to JavaScript, or to `readline`; JSON may contain all but the first raw. */
const separators = ["\r", "\u0085", "\u2028", "\u2029"]

for (const separator of separators)
  it(`U+${separator.charCodeAt(0).toString(16).padStart(4, "0")} ends no line`, async () => {
    const lines = [`["one${separator}two"]`, `["${separator}"]`]
    assert.deepEqual(await reread(lines), lines)
  })

it("a character or a line may be longer than what is read at once", async () => {
  const lines = [`["${"\u2028".repeat(100_000)}"]`, "", "[null]", `["${"é".repeat(1_500_000)}"]`, `["€"]`]
  assert.deepEqual(await reread(lines), lines)
})

it("long lines come in batches of 2,000,000 characters, and a longer line alone", async () => {
  const lengths = [10, 1_500_000, 10, 1_500_000, 400_000, 3_000_000, 10]
  const batches = await batchesOf(lengths.map((length) => "x".repeat(length)))
  assert.deepEqual(
    batches.map((lines) => lines.map(({ length }) => length)),
    [[10, 1_500_000, 10], [1_500_000, 400_000], [3_000_000], [10]]
  )
})
