import { erasuresSuite } from "../../src/erasure/Erasures.suite.ts"
import { forEachStore } from "../../src/stores/stores.ts"

forEachStore(40, erasuresSuite)
