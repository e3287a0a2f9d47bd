#!/bin/sh
# After an installation or upgrade, a running service restarts with the new binary.
set -e
[ -z "${DPKG_ROOT:-}" ] && [ -d /run/systemd/system ] || exit 0
systemctl daemon-reload
systemctl try-restart maskproxy.service
