import { tenancySuite } from "@gatewarden/testkit/tenancy/tenancySuite"
import { stores } from "@gatewarden/testkit/stores/stores"

tenancySuite("PGlite", stores.PGlite)
tenancySuite("PostgreSQL", stores.PostgreSQL)
