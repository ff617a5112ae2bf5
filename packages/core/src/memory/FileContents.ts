import { Effect, Option } from "effect"
import { FileContents } from "../file/FileContents.ts"
import type { Tables } from "./Tables.ts"

export const fileContents = (tables: Tables) =>
  FileContents.of({
    put: (id, bytes) => Effect.sync(() => void tables.fileContents.set(id, bytes.slice())),
    get: (id) => Effect.sync(() => Option.fromUndefinedOr(tables.fileContents.get(id))),
    remove: (id) => Effect.sync(() => void tables.fileContents.delete(id))
  })
