/** Other accounts and restricted keys on the in-memory store. Rule: errors#resources-of-other-accounts, access#restricted-keys. */
import { layerMemory } from "@gatewarden/core/effect"
import { tenancySuite } from "@gatewarden/testkit/tenancy/tenancySuite"

tenancySuite("the memory store", layerMemory)
