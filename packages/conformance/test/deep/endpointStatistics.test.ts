import { forEachStore } from "../../src/stores/stores.ts"
import { endpointStatisticsAgreement } from "../../src/usage/EndpointStatisticsReader.suite.ts"

forEachStore(300, endpointStatisticsAgreement)
