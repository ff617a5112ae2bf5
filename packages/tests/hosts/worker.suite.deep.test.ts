import { workerSuite } from "./workerSuite.ts"

workerSuite((cases) => cases)
