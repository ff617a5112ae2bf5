import * as fc from "fast-check"
import { members } from "../arbitraries/fromJsonSchema.ts"
import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"
import { destinationConfigs } from "./destinationConfigs.ts"

const fixtures = Object.values(destinationConfigs)

/** Fields of any type, as they are sent and as they are shown, so that masks come back; most of them are not fields of the type at hand. */
const configField = fc.constantFrom(
  ...fixtures.flatMap(({ sent, shown, optional = {} }) =>
    [sent, shown, optional].flatMap((fields) => Object.entries(fields))
  ),
  ...["url", "endpoint", "apiKey"].map((name) => [name, "..."] as const),
  ...["method", "region", "baseUrl", "apiKey", "headers"].map((name) => [name, null] as const)
)

const headers = fc.constantFrom<object>(
  {},
  { "X-A": "..." },
  { "X-A": "abcdefghijklmnopqrstuvwxyz" },
  { "X-A": "ab...wxyz", "X-B": "short" }
)

export const updateDestination = command("updateDestination", {
  weight: 4,
  params: { id: some("destination") },
  body: {
    config: fc
      .tuple(fc.array(configField, { maxLength: 6 }), fc.option(headers, { nil: undefined }))
      .map(([fields, sent]) => ({ ...Object.fromEntries(fields), ...(sent === undefined ? {} : { headers: sent }) }))
  },
  together: members({ api_key_hashes: fc.option(fc.array(some("key", "hash"), { maxLength: 3 })) }, [])
})
