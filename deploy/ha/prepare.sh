#!/bin/sh
# Writes the configuration of the three machines, with their certificates and passwords:
#
#   sh prepare.sh cluster.env FOLDER
#
# FOLDER/NAME is what belongs into `/` of the machine NAME. FOLDER/secrets.env and FOLDER/ca.key are made once and used
# again by the next run: keep the folder with your secrets, away from the machines.
set -eu
umask 077
templates=$(cd "$(dirname "$0")" && pwd)/files
case $1 in /*) . "$1" ;; *) . "./$1" ;; esac
mkdir -p "$2"
cd "$2"

secret() { openssl rand -hex 24; }
key() { echo "$(date +%Y%m%d):$(openssl rand -base64 32)"; }
if [ ! -e secrets.env ]; then
  cat > secrets.env <<VALUES
REPLICATION_PASSWORD=$(secret)
REWIND_PASSWORD=$(secret)
DATABASE_PASSWORD=$(secret)
ADMIN_PASSWORD=$(secret)
JWT_KEYS=$(key)
ENCRYPTION_KEYS=$(key)
VALUES
fi
. ./secrets.env

if [ ! -e ca.key ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj '/CN=Florin cluster' \
    -keyout ca.key -out ca.crt 2> /dev/null
fi

# A certificate of the cluster for ten years: PATH, name, alternative names.
certificate() {
  [ -e "$1.crt" ] && return
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$2" -keyout "$1.key" -out "$1.csr" \
    2> /dev/null
  printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\n' "$3" > "$1.ext"
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 3650 -extfile "$1.ext" -out "$1.crt" \
    2> /dev/null
  rm "$1.csr" "$1.ext"
}

# Writes the file of a template, with the values of one machine.
render() {
  mkdir -p "$(dirname "$2")"
  sed -e "s|@NAME@|$name|g; s|@ADDRESS@|$address|g; s|@PEER1@|$peer1|g; s|@PEER2@|$peer2|g; s|@PRIORITY@|$priority|g" \
    -e "s|@NAME1@|$NAME1|g; s|@NAME2@|$NAME2|g; s|@NAME3@|$NAME3|g" \
    -e "s|@ADDRESS1@|$ADDRESS1|g; s|@ADDRESS2@|$ADDRESS2|g; s|@ADDRESS3@|$ADDRESS3|g" \
    -e "s|@INTERFACE@|$INTERFACE|g; s|@SERVICE_NAME@|$SERVICE_NAME|g" \
    -e "s|@SERVICE_ADDRESS@|$SERVICE_ADDRESS|g; s|@SERVICE_PREFIX@|$SERVICE_PREFIX|g" \
    -e "s|@REPLICATION_PASSWORD@|$REPLICATION_PASSWORD|g; s|@REWIND_PASSWORD@|$REWIND_PASSWORD|g" \
    -e "s|@DATABASE_PASSWORD@|$DATABASE_PASSWORD|g; s|@ADMIN_PASSWORD@|$ADMIN_PASSWORD|g" \
    -e "s|@JWT_KEYS@|$JWT_KEYS|g; s|@ENCRYPTION_KEYS@|$ENCRYPTION_KEYS|g" "$1" > "$2"
}

machine() {
  name=$1 address=$2 peer1=$3 peer2=$4 priority=$5
  rm -rf "$name"
  for file in $(cd "$templates" && find . -type f); do render "$templates/$file" "$name/$file"; done
  certificate "machine-$name" "$name" "DNS:$name,IP:$address"
  for program in etcd patroni; do
    mkdir -p "$name/etc/$program"
    cp ca.crt "$name/etc/$program/ca.crt"
    cp "machine-$name.crt" "$name/etc/$program/machine.crt"
    cp "machine-$name.key" "$name/etc/$program/machine.key"
  done
  cp ca.crt "$name/etc/florin/ca.crt"
  cp ca.crt "$name/etc/haproxy/ca.crt"
  cat "machine-$name.crt" "machine-$name.key" > "$name/etc/haproxy/machine.pem"
  cat service.crt service.key > "$name/etc/haproxy/public.pem"
}

# For trying it out: callers must trust ca.crt. Replace service.crt and service.key by those of your own name.
certificate service "$SERVICE_NAME" "DNS:$SERVICE_NAME,IP:$SERVICE_ADDRESS"
machine "$NAME1" "$ADDRESS1" "$ADDRESS2" "$ADDRESS3" 103
machine "$NAME2" "$ADDRESS2" "$ADDRESS1" "$ADDRESS3" 102
machine "$NAME3" "$ADDRESS3" "$ADDRESS1" "$ADDRESS2" 101
