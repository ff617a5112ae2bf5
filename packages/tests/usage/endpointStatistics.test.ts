import { forEachStore } from "@gatewarden/testkit/stores/stores"
import { endpointStatisticsAgreement } from "@gatewarden/conformance/internal/usage/EndpointStatisticsReader.suite"

forEachStore(60, endpointStatisticsAgreement)
