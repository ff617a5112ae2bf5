import { rankingsAgreement } from "../src/usage/RankingsReader.suite.ts"
import { stores } from "../src/stores/stores.ts"

rankingsAgreement("memory", () => stores.memory)
rankingsAgreement("PostgreSQL", () => stores.PostgreSQL, { runs: 60 })
rankingsAgreement("pg.Pool", () => stores["pg.Pool"], { runs: 15 })
rankingsAgreement("PGlite", () => stores.PGlite, { runs: 30 })
