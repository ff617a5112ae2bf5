import { modelSuite } from "@gatewarden/conformance/internal/modelBased/modelSuite"
import { stores } from "@gatewarden/testkit/stores/stores"

modelSuite("PostgreSQL", stores.PostgreSQL, 5)
