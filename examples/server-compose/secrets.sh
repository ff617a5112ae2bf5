#!/bin/sh
# Makes the secrets that compose.yaml names, and leaves alone those that are there.
set -eu
cd "$(dirname "$0")"
mkdir -p secrets
chmod 700 secrets

random() { head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
keep() { [ -s "secrets/$1" ] || { printf '%s' "$2" > "secrets/$1"; chmod 444 "secrets/$1"; }; }

keep database-password "$(random)"
keep database-url "postgres://gatewarden:$(cat secrets/database-password)@database/gatewarden"
keep keyring "k1:$(head -c 32 /dev/urandom | base64)"
keep management-key "$(random)"
