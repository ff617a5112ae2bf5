/** What a database of this version has. */
import { formerSeries } from "./formerSeries.ts"
import { functions } from "./functions.ts"
import type { Schema } from "./Migration.ts"
import { migrations } from "./migrations.ts"

export const schema: Schema = { migrations, functions, former: formerSeries }
