/** What a database of this version has. */
import type { Schema } from "./Migration.ts"
import { functions } from "./functions.ts"
import { migrations } from "./migrations.ts"

export const schema: Schema = { migrations, functions }
