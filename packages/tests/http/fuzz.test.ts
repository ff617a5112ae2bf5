import { fuzzSuite } from "@gatewarden/conformance/internal/fuzz/fuzzSuite"
import { stores } from "@gatewarden/testkit/stores/stores"

fuzzSuite("the memory store", stores.memory, 1_000)
fuzzSuite("PostgreSQL", stores.PostgreSQL, 500)
