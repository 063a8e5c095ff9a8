#!/usr/bin/env bash
# Types README's commands, and then the tests', in a fresh Debian 12 made by debootstrap. Requires root.
#
#   tests/readme/fresh.sh FOLDER [COMMAND]    the new system goes into FOLDER; COMMAND runs in the checkout after README
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
folder=$(realpath -m -- "$1")
# shellcheck disable=SC2016  # apt-get replaces it
mirror=$(apt-get indextargets --format '$(SITE)' 'Codename: bookworm' | head -n 1)
debootstrap --variant=minbase bookworm "$folder" "$mirror" >/dev/null
cp /etc/apt/sources.list "$folder/etc/apt/" 2>/dev/null || true
cp -r /etc/apt/sources.list.d /etc/apt/apt.conf.d "$folder/etc/apt/"
git clone -q . "$folder/root/nbscorep"
mount --bind /proc "$folder/proc"
mount --rbind /dev "$folder/dev"
mount --make-rslave "$folder/dev"
trap 'umount -R "$folder/proc" "$folder/dev"' EXIT
inside="exec chroot '$folder' env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8"
tests/readme/story.py --shell "$inside bash -c 'cd ~/nbscorep && exec bash'"
[ "$#" -lt 2 ] || bash -c "$inside bash -c 'cd ~/nbscorep && $2'"
