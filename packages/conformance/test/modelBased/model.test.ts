import { modelSuite } from "../../src/modelBased/modelSuite.ts"
import { stores } from "../../src/stores/stores.ts"

modelSuite("PGlite", stores.PGlite, 5)
modelSuite("PostgreSQL", stores.PostgreSQL, 5)
