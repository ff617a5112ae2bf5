/** For a host that reads bodies of its own paths: the rules of `parseJson`, and slices for what is long. */
import { Effect } from "effect"
import { parseJson, type ParsedJson } from "./parseJson.ts"
import { longJsonSize, parseLongJson } from "./parseLongJson.ts"

/** `maxValues`: how many objects, arrays and other values a long body may hold. */
export const parseBody = (bytes: Uint8Array, maxValues: number): ParsedJson | Promise<ParsedJson> =>
  bytes.length <= longJsonSize
    ? parseJson(bytes)
    : Effect.runPromise(parseLongJson(bytes, maxValues, false, Number.POSITIVE_INFINITY))
