import { oneOfEachStatus } from "@gatewarden/conformance"
import { workerSuite } from "./workerSuite.ts"

workerSuite(oneOfEachStatus)
