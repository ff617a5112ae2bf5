import { modelCatalogAgreement } from "@gatewarden/conformance/internal/model/ModelCatalog.suite"
import { forEachStore } from "@gatewarden/testkit/stores/stores"

forEachStore(300, modelCatalogAgreement)
