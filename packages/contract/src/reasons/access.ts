/** Reasons of errors about credentials, accounts and what a key may. Rule: errors#reasons. */
import type { ReasonTable } from "./ReasonTable.ts"

export const accessReasons = {
  missing_authentication: {
    statuses: [401],
    means: "The request has no Authorization header.",
    remedy: "Send Authorization: Bearer KEY.",
    call: "GET /key with the header Authorization: Bearer KEY"
  },
  malformed_authentication: {
    statuses: [401],
    means: "The Authorization header does not have the form Bearer KEY.",
    remedy: "Send one header of the form Authorization: Bearer KEY."
  },
  misplaced_api_key: {
    statuses: [401],
    means: "The key is in another header or in the query, where the server does not read it.",
    remedy: "Send the key in the Authorization header. If a log may hold the address, replace the key."
  },
  malformed_api_key: {
    statuses: [401],
    means: "The checksum of the API key is wrong: a part of the key is missing or changed.",
    remedy: "Copy the whole key again."
  },
  invalid_api_key: {
    statuses: [401],
    means: "This installation has no such API key.",
    remedy: "Check that the key was created on this installation, or create one.",
    call: 'GET /key shows whether a key is valid; POST /keys {"name":"my-app"} creates one'
  },
  disabled_api_key: {
    statuses: [401],
    means: "The API key is disabled.",
    remedy: "Enable the key, or use another one.",
    call: 'PATCH /keys/{hash} {"disabled":false}'
  },
  expired_api_key: {
    statuses: [401],
    means: "The API key has expired.",
    remedy: "Create another key.",
    call: 'POST /keys {"name":"my-app","expires_at":"2027-01-01T00:00:00Z"}'
  },
  revoked_api_key: {
    statuses: [401],
    means: "The API key was revoked, deleted or rotated.",
    remedy: "If the key was rotated, use its newest secret. Otherwise use another key, or create one.",
    call: 'POST /keys {"name":"my-app"}'
  },
  account_suspended: {
    statuses: [401],
    means: "The account of the API key is suspended.",
    remedy: "Ask the operator to resume the account."
  },
  refused_by_host: {
    statuses: [401],
    means: "The application that embeds Gatewarden refused the caller.",
    remedy: "Sign in to that application."
  },
  unknown_account: {
    statuses: [400, 401],
    means:
      "The account does not exist, or the key may not act in it: 400 where the request names the account, 401 where the host named it.",
    remedy: "Name an existing account, or use a gateway key."
  },
  account_required: {
    statuses: [400],
    means: "A gateway key belongs to no account, and the request does not say in which account it acts.",
    remedy: "Send api_key_hash, or account_id where the request concerns no key."
  },
  management_key_required: {
    statuses: [403],
    means: "Only a management key may use this operation.",
    remedy: "Use a management key.",
    call: "gatewarden keys create --management --name admin"
  },
  outlives_its_maker: {
    statuses: [400],
    means: "A management key that expires cannot make a management key that expires later or never.",
    remedy: "Send an expires_at that is not later than the one of the calling key, which GET /key shows."
  },
  restricted_key: {
    statuses: [403],
    means: "The management key is restricted, and may not do this. The issue tells which restriction.",
    remedy: "Use a key whose restrictions allow the operation: GET /key shows those of the calling key."
  },
  operator_required: {
    statuses: [403],
    means:
      "Only a management key of the default account, or a gateway key, may change data of the whole installation, and settle what the operator's data plane admitted.",
    remedy:
      "Ask the operator, write models of the own account with ?account=own, or settle the account's own admissions."
  },
  not_for_gateway_keys: {
    statuses: [403],
    means:
      "A gateway key may only use the operations of a data plane: admissions, settlements, usage events, explanations, the catalog.",
    remedy: "Use a management key."
  },
  foreign_workspace: {
    statuses: [403],
    means: "The key belongs to another workspace.",
    remedy: "Use a key of the workspace, or a management key."
  },
  last_management_key: {
    statuses: [409],
    means:
      "The key is the account's last management key without restrictions, or the user has it who is to lose every key.",
    remedy: "Create another one first."
  },
  person_in_use: {
    statuses: [409],
    means:
      "The person cannot be erased while keys, memberships, an active directory user or others could still act in the person's name. The issues list them.",
    remedy: "Revoke, remove or deactivate what the issues list, then ask again."
  },
  too_many_erasures: {
    statuses: [409],
    means: "The account has 100 erasures that are not finished.",
    remedy: "Wait until some have succeeded, or remove what is in the way of those that wait."
  },
  api_key_unusable: {
    statuses: [400],
    means: "The key that the request proposes exists already, is too easy to guess, or its checksum is wrong.",
    remedy: "Propose another key, or leave it out; the server then generates one."
  },
  unknown_api_key_hash: {
    statuses: [400],
    means: "A hash in the request belongs to no active key of this account.",
    remedy: "List the keys of the account, and send the hash of an active one.",
    call: "GET /keys lists the hashes"
  },
  unknown_user: {
    statuses: [400],
    means: "No key and no membership of this account names this user.",
    remedy: "Create a key for the user, or add the user to a workspace, first."
  }
} as const satisfies ReasonTable
