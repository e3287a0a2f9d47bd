#!/bin/sh
# Before a removal, but not before an upgrade: dpkg says `remove`, rpm counts what is left.
set -e
case ${1:-} in remove | 0) ;; *) exit 0 ;; esac
[ -z "${DPKG_ROOT:-}" ] && [ -d /run/systemd/system ] || exit 0
systemctl disable --now maskproxy.service
