#!/bin/sh
# Places and lists an order: sh sign.sh KEY.pem [http://127.0.0.1:7420/api]
set -eu
key=$1
root=${2:-http://127.0.0.1:7420/api}
message=$(mktemp)
trap 'rm -f "$message"' EXIT

base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
uuid() { openssl rand -hex 16 | sed -E 's/(.{8})(.{4})(.{4})(.{4})(.{12})/\1-\2-\3-\4-\5/'; }

public_key=$(openssl pkey -in "$key" -pubout -outform DER | tail -c 32 | base64url)

# call METHOD PATH [BODY]
call() {
  method=$1 path=$2 body=${3-}
  timestamp=$(date +%s%3N) # GNU; without it: $(date +%s)000
  printf '%s' "$timestamp$method$path$body" > "$message"
  signature=$(openssl pkeyutl -sign -rawin -inkey "$key" -in "$message" | base64url)
  set -- --header "X-SVC-KEY: $public_key" \
    --header "X-SVC-SIGN: $signature" \
    --header "X-SVC-TIMESTAMP: $timestamp"
  if [ -n "$body" ]; then
    set -- "$@" --header 'Content-Type: application/json' \
      --header "X-Idempotency-Key: $(uuid)" --data-raw "$body"
  fi
  curl --silent --show-error --globoff --request "$method" "$@" "$root$path"
  echo
}

call POST /v2/orders '{"exchange":"paper-spot","symbol":"BTCUSDT","side":"BUY","type":"LIMIT","quantity":"0.01","price":"50000"}'
call GET '/v2/orders?status=open'
