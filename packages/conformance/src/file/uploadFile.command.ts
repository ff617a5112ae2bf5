import * as fc from "fast-check"
import { formOf, otherContents, sampleFiles } from "./fileBytes.ts"
import { command } from "../modelBased/Command.ts"
import { fileQuery } from "./fileQuery.ts"

const contents = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...sampleFiles.map(({ content }) => content)) },
  { weight: 1, arbitrary: fc.constantFrom(...Object.values(otherContents)) },
  { weight: 1, arbitrary: fc.constantFrom("", "text", "line\n".repeat(40_000)) }
)

const names = fc.constantFrom("a.txt", "a.csv", "Grüße.md", "../x", "é".repeat(255), "é".repeat(256))

export const uploadFile = command("uploadFile", {
  weight: 5,
  query: fileQuery,
  body: fc
    .tuple(names, contents, fc.constantFrom("file", "file", "file", "file", "other"))
    .map(([name, content, field]) => formOf(name, content, field)),
  keeps: { file: (file) => file }
})
