#!/usr/bin/env bash
# Backs up the photographs of a studio to the disk that is plugged in.
#
# Usage: backup.sh [--dry-run] DISK

set -euo pipefail

source "$(dirname "$0")/colours.sh"
. ./settings.env

STUDIO=/srv/photographs
readonly KEEP_DAYS=90
declare -A SEEN=()
alias ll='ls -l'

# Say something, in colour if somebody reads it.
say() {
  local colour=$1
  shift
  if [[ -t 1 ]]; then
    printf '%b%s%b\n' "${COLOURS[$colour]}" "$*" "${COLOURS[none]}"
  else
    printf '%s\n' "$*"
  fi
}

function die { say red "$@" >&2; exit 1; }

# Find the disk.
# A disk counts as ours when a file with the name of the studio lies in its root; anything else that happens
# to be plugged in is left alone, even when it is larger.
find_disk() {
  local wanted=$1 mount
  while read -r _ mount _; do
    if [[ -e "$mount/.studio" && $(cat "$mount/.studio") == "$wanted" ]]; then
      echo "$mount"
      return 0
    fi
  done < /proc/mounts
  die "no disk of studio $wanted is plugged in"
}

copy::folder() {
  local from=$1 to=$2
  rsync --archive --delete-after --link-dest="$to/last" "$from/" "$to/today/" \
    || die "copying $from failed, nothing was changed on the disk"
  SEEN[$from]=1
}

if command -v notify-send >/dev/null; then
  # Tell whoever sits at the desk.
  tell() { notify-send "Backup" "$1"; }
else
  tell() { say green "$1"; }
fi

usage() {
  cat <<'TEXT'
Usage: backup.sh [--dry-run] DISK
  DISK is the name that is written in .studio
TEXT
}

main() {
  case ${1:-} in
    -h|--help) usage; exit ;;
    --dry-run) rsync() { echo rsync "$@"; }; shift ;;
  esac
  local disk
  disk=$(find_disk "${1:?name a disk}")
  for folder in "$STUDIO"/*/; do
    copy::folder "$folder" "$disk/$(basename "$folder")"
  done
  find "$disk" -maxdepth 2 -mtime +"$KEEP_DAYS" -name 'old-*' -exec rm -r {} +
  tell "${#SEEN[@]} folders are safe"
}

main "$@"
