import { layerMemory } from "@gatewarden/core/effect"
import { tenancySuite } from "@gatewarden/testkit/tenancy/tenancySuite"

tenancySuite("the memory store", layerMemory)
