import { rankingsAgreement } from "../src/stores/RankingsReader.ts"
import { stores } from "../src/stores/stores.ts"

rankingsAgreement("memory", () => stores.memory)
rankingsAgreement("PostgreSQL", () => stores.PostgreSQL, { runs: 60 })
rankingsAgreement("PGlite", () => stores.PGlite, { runs: 30 })
