/** What a database of this version has. */
import type { FormerSeries, Schema } from "./Migration.ts"
import { functions } from "./functions.ts"
import { migrations } from "./migrations.ts"

/**
 * The migrations that the baseline took the place of. A database that has them all has what the baseline makes, so it is taken over as it
 * is.
 */
export const formerSeries: FormerSeries = {
  last: 39,
  digest: "9753739954271138c7b4f24eb818a0154a2cc602ef246998a9b255b1de7d0d6f",
  functions: ["gatewarden_consume"]
}

export const schema: Schema = { migrations, functions, former: formerSeries }
