/** What the declarations of SCIM's operations share. */
import * as z from "zod"
import { scimProjection, scimUrns } from "./scim.ts"

export const scimOperation = { tag: "SCIM", access: "managementKey", errorForm: "scim" } as const

/** The query of a request that is answered with one resource. */
export const projection = z.object(scimProjection)

/** An example of an answer that lists one resource. */
export const listOfOne = <R>(resource: R) => ({
  schemas: [scimUrns.list],
  totalResults: 1,
  startIndex: 1,
  itemsPerPage: 1,
  Resources: [resource]
})

/** An example of a patch. */
export const patchOf = (path: string, value: unknown) => ({
  schemas: [scimUrns.patch],
  Operations: [{ op: "replace", path, value }]
})
