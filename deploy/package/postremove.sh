#!/bin/sh
# `dpkg --purge` also deletes sessions and the audit trail. rpm and plain removals keep them.
set -e
if [ "${1:-}" = purge ]; then
  rm -rf "${DPKG_ROOT:-}/var/lib/maskproxy" "${DPKG_ROOT:-}/var/lib/private/maskproxy"
fi
[ -z "${DPKG_ROOT:-}" ] && [ -d /run/systemd/system ] || exit 0
systemctl daemon-reload
