#!/usr/bin/env bash
# Builds the image and starts it with no more rights than docs/container.md promises: `npm run container`.
set -euo pipefail
cd "$(dirname "$0")/.."
docker build --tag countersign:check .
size=$(docker image inspect --format '{{.Size}}' countersign:check)
[ "$size" -lt 250000000 ] || { echo "expected an image below 250 MB, found $size bytes" >&2; exit 1; }
id=$(docker run --detach --rm --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \
  --env COUNTERSIGN_TOKEN=check countersign:check)
trap 'docker rm --force "$id" >/dev/null' EXIT
for _ in $(seq 1 90); do
  state=$(docker inspect --format '{{.State.Health.Status}}' "$id")
  [ "$state" = healthy ] && { echo "the image of $size bytes is healthy"; exit 0; }
  sleep 1
done
docker logs "$id" >&2
echo "expected the container to be healthy within 90 s, found $state" >&2
exit 1
