import { modelSuite } from "../../src/modelBased/modelSuite.ts"
import { stores } from "../../src/stores/stores.ts"

modelSuite("PostgreSQL", stores.PostgreSQL, 100)
