import { layerMemory } from "@gatewarden/core/effect"
import { tenancySuite } from "../../src/tenancy/tenancySuite.ts"

tenancySuite("the memory store", layerMemory)
