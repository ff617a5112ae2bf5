import { Effect, Option, Stream } from "effect"
import { FileContents } from "../ports/files.ts"
import { joinBytes } from "../value/bytes.ts"
import type { Tables } from "./tables/Tables.ts"

export const fileContents = (tables: Tables) =>
  FileContents.of({
    put: (id, content) =>
      // What is kept is copied as it comes: what it is a part of may be written over.
      Effect.map(Stream.runCollect(Stream.map(content, (chunk) => chunk.slice())), (chunks) => {
        tables.fileContents.set(id, joinBytes(chunks))
      }),
    get: (id) => Effect.sync(() => Option.map(Option.fromUndefinedOr(tables.fileContents.get(id)), Stream.succeed)),
    remove: (id) => Effect.sync(() => void tables.fileContents.delete(id))
  })
