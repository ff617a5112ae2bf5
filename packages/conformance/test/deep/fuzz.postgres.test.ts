import { fuzzSuite } from "../../src/fuzz/fuzzSuite.ts"
import { stores } from "../../src/stores/stores.ts"

fuzzSuite("PostgreSQL", stores.PostgreSQL, 2_000)
