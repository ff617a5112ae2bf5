/** Other accounts and restricted keys on PGlite and PostgreSQL. Rule: errors#resources-of-other-accounts, access#restricted-keys. */
import { tenancySuite } from "@gatewarden/testkit/tenancy/tenancySuite"
import { stores } from "@gatewarden/testkit/stores/stores"

tenancySuite("PGlite", stores.PGlite)
tenancySuite("PostgreSQL", stores.PostgreSQL)
