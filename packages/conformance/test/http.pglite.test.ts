import { fetchDoor, httpSuite } from "@gatewarden/conformance"
import { stores } from "../src/stores/stores.ts"

httpSuite("fetch handler on PGlite", () => ({ store: stores.PGlite, door: fetchDoor }))
