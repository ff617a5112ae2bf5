import { fuzzSuite } from "@gatewarden/conformance/internal/fuzz/fuzzSuite"
import { stores } from "@gatewarden/testkit/stores/stores"

fuzzSuite("PostgreSQL", stores.PostgreSQL, 2_000)
