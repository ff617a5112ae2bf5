import { fuzzSuite } from "../src/fuzz/fuzzSuite.ts"
import { stores } from "../src/stores/stores.ts"

fuzzSuite("the memory store", stores.memory, 1_000)
fuzzSuite("PostgreSQL", stores.PostgreSQL, 500)
