import { workerSuite } from "../hosts/workerSuite.ts"

workerSuite((cases) => cases)
