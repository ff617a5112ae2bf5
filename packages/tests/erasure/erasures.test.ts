import { erasuresSuite } from "@gatewarden/conformance/internal/erasure/Erasures.suite"
import { forEachStore } from "@gatewarden/testkit/stores/stores"

forEachStore(40, erasuresSuite)
