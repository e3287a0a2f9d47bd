#!/bin/sh
# Runs before a removal, not before an upgrade: dpkg passes `remove`, rpm the number of remaining versions.
set -e
case ${1:-} in remove | 0) ;; *) exit 0 ;; esac
[ -z "${DPKG_ROOT:-}" ] && [ -d /run/systemd/system ] || exit 0
systemctl disable --now maskproxy.service
