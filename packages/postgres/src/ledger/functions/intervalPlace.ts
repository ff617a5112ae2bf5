/** The place of an interval among all of them, from 1. */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"
import { placeOfInterval } from "../intervals.ts"

export const intervalPlace: SqlFunction = {
  name: "gatewarden_interval_place",
  sql: `
create or replace function gatewarden_interval_place(asked_interval text)
returns int language sql immutable as $body$
  select ${placeOfInterval("asked_interval")}
$body$
`
}
