# tests/thirdparty/fetch.sh: sources of Debian packages, by the apt of this machine, from where it
# gets its own; nothing is installed.  For scripts that have set $cache, the folder they go to.

# The sources of packages of this machine, with those of source code, and lists of our own; with
# apt=apt-sid, of Debian's newest.
apt=apt

apt_get() { of_our_lists apt-get "$@"; }

of_our_lists() {
    tool=$1
    shift
    "$tool" -qq -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$cache/$apt/sources" \
        -o Dir::State::Lists="$cache/$apt/lists" -o Dir::Cache="$cache/$apt/cache" \
        -o Acquire::http::Timeout=20 -o APT::Sandbox::User= "$@"
}

apt_ready() {
    [ ! -e "$cache/$apt/ready" ] || return 0
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || return 1
    mkdir -p "$cache/$apt/sources" "$cache/$apt/lists/partial" "$cache/$apt/cache/archives/partial"
    if [ "$apt" = apt-sid ]; then
        mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources 2>"$cache/$apt/none" |
            sed -n '/^#/d; s|.*\(http[^ ]*/debian\)/*\( .*\)*$|\1|p' | head -n 1)
        echo "deb-src ${mirror:?} sid main" >"$cache/$apt/sources/sid.list"
    else
        own_sources
    fi
    apt_get update && : >"$cache/$apt/ready"
}

own_sources() {
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ ! -e "$file" ] || sed -n 's/^deb \(.*\)/&\ndeb-src \1/p' "$file" \
            >"$cache/apt/sources/${file##*/}"
    done
    for file in /etc/apt/sources.list.d/*.sources; do
        [ ! -e "$file" ] || sed 's/^Types:.*/Types: deb deb-src/' "$file" \
            >"$cache/apt/sources/${file##*/}"
    done
}

# package NAME: unpacks a package into $cache/NAME; NAME-source is the source of one, NAME-patches
# what Debian has added to it; NAME-source=VERSION is of sid, if that is still the version of its
# authors there.
package() {
    version=${1#"${1%%=*}"}
    set -- "${1%%=*}"
    [ ! -e "$cache/$1/ready" ] || return 0
    if [ "$version" ]; then
        apt=apt-sid
        apt_ready || return 1
        version=$(of_our_lists apt-cache showsrc "${1%-source}" |
            sed -n "s/^Version: \(${version#=}-.*\)/=\1/p" | head -n 1)
        [ "$version" ] || return 1
    fi
    rm -rf "${cache:?}/$1"
    mkdir -p "$cache/$1/down"
    cd "$cache/$1/down" || return 1
    case $1 in
    *-source)
        apt_get source --download-only --tar-only "${1%-source}$version" &&
            tar -C .. --strip-components=1 -xf ./*.orig.tar.*[!c]
        ;;
    *-patches)
        apt_get source --download-only --diff-only "${1%-patches}" &&
            tar -C .. -xf ./*.debian.tar.*[!c]
        ;;
    *) apt_get download "$1" && dpkg-deb -x ./*.deb .. ;;
    esac && : >../ready
}
