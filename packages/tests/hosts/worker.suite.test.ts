import { oneOfEachOperation } from "@gatewarden/conformance"
import { workerSuite } from "./workerSuite.ts"

workerSuite(oneOfEachOperation)
