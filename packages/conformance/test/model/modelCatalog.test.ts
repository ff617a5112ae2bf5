import { modelCatalogAgreement } from "../../src/model/ModelCatalog.suite.ts"
import { forEachStore } from "../../src/stores/stores.ts"

forEachStore(60, modelCatalogAgreement)
