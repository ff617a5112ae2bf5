import * as z from "zod"
import { documentedAs } from "./primitives.ts"

/**
 * Fields of a config, by name. Which there are depends on the type, which the request does not name, so the result of the merge is checked.
 */
export const partOfConfig = (description: string) =>
  z
    .custom<Readonly<Record<string, unknown>>>(
      (value) => typeof value === "object" && value !== null && !Array.isArray(value),
      { error: "Expected an object" }
    )
    .meta({ [documentedAs]: { type: "object", additionalProperties: true, description } })
