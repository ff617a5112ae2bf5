import { rankingsAgreement } from "../../src/usage/RankingsReader.suite.ts"
import { forEachStore } from "../../src/stores/stores.ts"

forEachStore(30, rankingsAgreement)
