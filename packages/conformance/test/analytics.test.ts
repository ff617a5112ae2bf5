import { analyticsAgreement } from "../src/usage/AnalyticsReader.suite.ts"
import { type StoreKind, stores } from "../src/stores/stores.ts"

const runs: Readonly<Record<StoreKind, number>> = { memory: 200, PostgreSQL: 100, PGlite: 40, "pg.Pool": 25 }

for (const kind of Object.keys(runs) as StoreKind[]) analyticsAgreement(kind, () => stores[kind], { runs: runs[kind] })
