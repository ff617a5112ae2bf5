import { toNextHandlers } from "@gatewarden/core"
import { gatewarden } from "../../../../gatewarden.ts"

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = toNextHandlers(gatewarden)
