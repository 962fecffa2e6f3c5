#!/bin/sh
# Runs a command with $ROOT as the root of the file system. Needs no privileges, because it starts in
# its own user and mount namespaces: unshare --user --map-root-user --mount sh enter.sh COMMAND…
# The machine's /usr and /etc, under the folders $LAYERS, stand in for the base image. $BINDS are the
# folders that stay writable, as FROM:TO. With $AS, a user id, everything else is read-only.
set -eu
mount --bind "$ROOT" "$ROOT"
for name in usr etc dev proc; do mkdir -p "$ROOT/$name"; done
for name in bin sbin lib lib64; do
  if [ -L "/$name" ]; then ln -sfn "usr/$name" "$ROOT/$name"; fi
done
usr=/usr
for layer in $LAYERS; do
  if [ -d "$layer/usr" ]; then usr=$layer/usr:$usr; fi
done
mount -t overlay overlay -o "lowerdir=$usr" "$ROOT/usr"
for name in etc dev proc; do mount --rbind "/$name" "$ROOT/$name"; done
for bind in "$BASE/passwd:etc/passwd" "$BASE/group:etc/group"; do mount --bind "${bind%%:*}" "$ROOT/${bind#*:}"; done
for bind in $BINDS; do
  mkdir -p "$ROOT/${bind#*:}"
  mount --bind "${bind%%:*}" "$ROOT/${bind#*:}"
done
if [ -n "$AS" ]; then mount -o remount,bind,ro "$ROOT"; fi
cd "$ROOT"
pivot_root . .
umount -l .
cd "$WORKDIR"
set -- env -u ROOT -u BASE -u LAYERS -u BINDS -u WORKDIR -u AS "$@"
if [ -n "$AS" ]; then set -- unshare --user --map-user="$AS" --map-group="$AS" "$@"; fi
exec "$@"
