import { endpointStatisticsAgreement } from "../src/model/EndpointStatisticsReader.suite.ts"
import { modelCatalogAgreement } from "../src/model/ModelCatalog.suite.ts"
import { type StoreKind, stores } from "../src/stores/stores.ts"

const runs: Readonly<Record<StoreKind, number>> = { memory: 300, PostgreSQL: 100, PGlite: 60, "pg.Pool": 25 }

for (const kind of Object.keys(runs) as StoreKind[]) {
  modelCatalogAgreement(kind, () => stores[kind], { runs: runs[kind] })
  endpointStatisticsAgreement(kind, () => stores[kind], { runs: runs[kind] })
}
