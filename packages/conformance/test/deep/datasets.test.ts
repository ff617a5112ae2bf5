import { datasetsAgreement } from "../../src/usage/DatasetsReader.suite.ts"
import { forEachStore } from "../../src/stores/stores.ts"

forEachStore(150, datasetsAgreement)
