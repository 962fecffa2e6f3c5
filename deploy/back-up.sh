#!/bin/sh
# Makes a backup in a folder and deletes the backups there that are older than a number of days:
# sh deploy/back-up.sh FOLDER DAYS. Deletes none if the backup fails.
set -eu
folder=$1
days=$2
"${NODE:-node}" server/build/backup.js "$folder/x-automated-$(date -u +%Y%m%dT%H%M%SZ).backup"
find "$folder" -name 'x-automated-*.backup' -mtime "+$days" -delete
