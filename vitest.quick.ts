/** What `npm test` runs: rules, and everything on the memory store and PostgreSQL. */
import { testsOf } from "./vitest.workspace.ts"

export default testsOf("quick")
