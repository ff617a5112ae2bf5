/** Every migration, in order. Forward only: one that was released is never edited, a change is a new file. */
import type { Migration } from "./Migration.ts"
import { baseline } from "./baseline/baseline.ts"

export const migrations: readonly Migration[] = [baseline]
