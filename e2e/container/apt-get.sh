#!/bin/sh
# Takes the place of apt-get in the steps of the Dockerfile: an ordinary user cannot install packages,
# so `install` unpacks them into /packages, a layer over the base image.
set -eu
state=/tmp/apt
mkdir -p $state/lists/partial $state/cache/archives/partial
touch $state/status
apt() {
  /usr/bin/apt-get -o Dir::State::lists=$state/lists -o Dir::State::status=$state/status \
    -o Dir::Cache=$state/cache -o APT::Sandbox::User=root -o Debug::NoLocking=1 "$@"
}
command=$1
shift
case $command in
  update) apt update ;;
  install)
    mkdir -p /packages
    cd $state
    for word; do
      case $word in
        --yes | --no-install-recommends) ;;
        -*) echo "apt-get.sh does not know $word" && exit 2 ;;
        *) apt download "$word" && dpkg-deb --extract "$word"_*.deb /packages ;;
      esac
    done
    ;;
  *) echo "apt-get.sh does not know $command" && exit 2 ;;
esac
