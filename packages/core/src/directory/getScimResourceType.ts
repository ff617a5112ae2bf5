import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { scimKinds } from "./discovery.ts"

/** Rule: scim#discovery. */
export const getScimResourceType = operation("getScimResourceType")(function* (name: string) {
  return scimKinds.find(({ id }) => id === name) ?? (yield* notFound())
})
