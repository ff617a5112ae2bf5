import { tenancySuite } from "../../src/tenancy/tenancySuite.ts"
import { stores } from "../../src/stores/stores.ts"

tenancySuite("PGlite", stores.PGlite)
tenancySuite("PostgreSQL", stores.PostgreSQL)
