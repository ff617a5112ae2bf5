import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { printedSchemas } from "./discovery.ts"

/** Rule: scim#discovery. */
export const getScimSchema = operation("getScimSchema")(function* (name: string) {
  return printedSchemas.find(({ id }) => id === name) ?? (yield* notFound())
})
