import { analyticsAgreement } from "@gatewarden/conformance/internal/usage/AnalyticsReader.suite"
import { forEachStore } from "@gatewarden/testkit/stores/stores"

forEachStore(40, analyticsAgreement)
