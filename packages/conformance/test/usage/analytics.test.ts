import { analyticsAgreement } from "../../src/usage/AnalyticsReader.suite.ts"
import { forEachStore } from "../../src/stores/stores.ts"

forEachStore(40, analyticsAgreement)
