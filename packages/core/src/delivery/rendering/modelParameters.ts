import { asObject } from "./flatAttributes.ts"
import { requestAttributes } from "./requestAttributes.ts"

const requestPrefix = "gen_ai.request."

/** Parameters of the model that a request named, such as `temperature` and `max_tokens`, under these names. */
export const modelParameters = (input: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(asObject(requestAttributes(input)))
      .filter(([key]) => key.startsWith(requestPrefix))
      .map(([key, value]) => [key.slice(requestPrefix.length), value])
  )
