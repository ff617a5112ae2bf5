/** What `npm run test:deep` runs: the longer random runs, process faults, and the whole suite of every host. */
import { testsOf } from "./vitest.workspace.ts"

export default testsOf("deep")
