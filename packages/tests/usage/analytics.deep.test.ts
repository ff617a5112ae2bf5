import { analyticsAgreement } from "@gatewarden/conformance/internal/usage/AnalyticsReader.suite"
import { forEachStore } from "@gatewarden/testkit/stores/stores"

forEachStore(200, analyticsAgreement)
