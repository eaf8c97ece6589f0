#!/usr/bin/env bash
# Unpacks pgbouncer 1.24 of Debian 13 and the libraries that it needs into build/pgbouncer, where the tests find it.
# Nothing is installed into the system. The packages come from the mirror in the system's own sources of apt.
set -eu
cd "$(dirname "$0")/../.."
folder=build/pgbouncer
[ -x "$folder/usr/sbin/pgbouncer" ] && exit 0
command -v mmdebstrap > /dev/null || { apt-get update -qq && apt-get install -y -qq mmdebstrap; }
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1)
mkdir -p build
rm -rf "$folder" "$folder.partial"
mmdebstrap --quiet --variant=extract --include=pgbouncer trixie "$folder.partial" "$mirror"
mv "$folder.partial" "$folder"
