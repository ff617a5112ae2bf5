/** Holds a config to the schema of its type, as the contract does where the type is sent with it. */
import { type Destination, type DestinationType, destinationTypes } from "@gatewarden/contract"
import { Effect } from "effect"
import type { BadRequest } from "../value/failure.ts"
import { checkInput } from "../value/checkInput.ts"

const schemas = new Map<DestinationType, (typeof destinationTypes)[number]["config"]>(
  destinationTypes.map(({ type, config }) => [type, config])
)

/** With its defaults, and without fields that the type does not have; 400 names the fields as `config.url`. */
export const checkConfig = (
  type: DestinationType,
  config: Readonly<Record<string, unknown>>
): Effect.Effect<Destination["config"], BadRequest> => {
  const schema = schemas.get(type)
  return schema === undefined
    ? Effect.die(new Error(`no destination type ${type}`))
    : checkInput(schema, config, "config.")
}
