import { datasetsAgreement } from "@gatewarden/conformance/internal/usage/DatasetsReader.suite"
import { forEachStore } from "@gatewarden/testkit/stores/stores"

forEachStore(30, datasetsAgreement)
