import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"
import * as fc from "fast-check"
import { fileQuery } from "./fileQuery.ts"

export const listFiles = command("listFiles", {
  weight: 4,
  query: {
    ...fileQuery,
    limit: fc.constantFrom("1", "2", "50", "1000", "0"),
    after: some("file"),
    after_id: some("file"),
    cursor: fc.constantFrom("mb1x2k00_gw_file_a", "zzzzzzzzzzz_a", "a", undefined),
    before_id: fc.constantFrom(undefined, undefined, undefined, "gw_file_a"),
    order: fc.constantFrom(undefined, "asc", "desc")
  }
})
