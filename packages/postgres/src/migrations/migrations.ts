/** Every migration, in order. Forward only: one that was released is never edited, a change is a new file. */
import { baseline } from "./baseline/baseline.ts"

export const migrations = [baseline] as const
