import { rankingsAgreement } from "@gatewarden/conformance/internal/usage/RankingsReader.suite"
import { forEachStore } from "@gatewarden/testkit/stores/stores"

forEachStore(150, rankingsAgreement)
