#!/bin/sh
# Sets up one machine of the cluster, as root on Debian 12:
#
#   sh install.sh packages                       # PostgreSQL, etcd, HAProxy and keepalived from Debian, not started
#   sh install.sh patroni                        # Patroni from PyPI, into /opt/patroni
#   sh install.sh florin ./florin-VERSION.tgz    # Florin, into /opt/florin
#   sh install.sh files FOLDER/NAME              # the configuration that prepare.sh has written for this machine
#   sh install.sh start                          # starts everything, now and at each boot
#
# Each step may be repeated.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

packages() {
  # Debian would make and start an empty cluster of its own.
  mkdir -p /etc/postgresql-common
  echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf
  printf '#!/bin/sh\nexit 101\n' > /usr/sbin/policy-rc.d
  chmod 755 /usr/sbin/policy-rc.d
  apt-get update
  DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
    postgresql-15 etcd-server etcd-client haproxy keepalived python3-venv curl ca-certificates openssl
  rm /usr/sbin/policy-rc.d
}

patroni() {
  /usr/bin/python3 -m venv /opt/patroni
  /opt/patroni/bin/pip install --quiet --require-virtualenv --requirement "$here/requirements.txt"
  # For the account of the database, whatever the umask of the installation was.
  chmod -R u=rwX,go=rX /opt/patroni
}

florin() {
  id florin > /dev/null 2>&1 ||
    useradd --system --home-dir /var/lib/florin --shell /usr/sbin/nologin florin
  npm install --ignore-scripts --omit=dev --prefix /opt/florin "$1"
  cp /opt/florin/node_modules/florin/deploy/florin.service /etc/systemd/system/
}

files() {
  cp -R "$1/etc/." /etc/
  chmod 755 /etc/etcd /etc/patroni /etc/haproxy /etc/keepalived
  chown -R etcd:etcd /etc/etcd
  chown -R postgres:postgres /etc/patroni
  chmod 700 /etc/patroni/create-database
  chown root:florin /etc/florin /etc/florin/ca.crt
  chmod 750 /etc/florin
  chmod 640 /etc/florin/ca.crt
  chmod 644 /etc/default/etcd /etc/haproxy/haproxy.cfg /etc/keepalived/keepalived.conf
  chmod 755 /etc/systemd/system/*.d
  chmod 644 /etc/systemd/system/patroni.service /etc/systemd/system/*.d/florin.conf
  install -d -m 0700 -o etcd -g etcd /var/lib/etcd
  install -d -m 0755 -o postgres -g postgres /var/lib/postgresql/15
}

start() {
  systemctl daemon-reload
  systemctl disable --now postgresql
  systemctl enable etcd haproxy keepalived patroni florin
  # etcd is ready when a second machine runs it too: nothing waits for that here, the others try again until it is.
  systemctl restart --no-block etcd
  systemctl restart patroni florin haproxy keepalived
}

"$@"
