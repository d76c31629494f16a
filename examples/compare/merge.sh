#!/bin/sh
# Upgrades a changed copy of a package with each tool that is installed, and counts the lines that differ from what a person
# would write: web.yaml with the new image and the new variable, everything else as it was. Prints a table.
set -eu
cd "$(dirname "$0")"
here=$PWD
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com
export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com

# Upstream has neither the comments nor the replicas of web.yaml, and its next version has a new image and a new variable.
mkdir -p "$room/v1" "$room/v2" "$room/mine"
grep -v '^# Owned' web.yaml | sed 's/  *#.*//; s/replicas: 2/replicas: 1/' | sed '/^ *$/d' > "$room/v1/web.yaml"
variable='          - name: REGION\n            value: eu-1'
sed 's/web:1.4.0/web:1.5.0/' "$room/v1/web.yaml" > "$room/v2/web.yaml"
printf "$variable\n" >> "$room/v2/web.yaml"
cp web.yaml "$room/mine/web.yaml"
sed 's/web:1.4.0/web:1.5.0/' web.yaml > "$room/expected.yaml"
printf "$variable\n" >> "$room/expected.yaml"

row() { # NAME VERSION FILE
    lines=$(diff "$room/expected.yaml" "$3" | grep -c '^[<>]') || true
    hunks=$(grep -c '^<<<<<<<' "$3") || true
    printf '| %s | %s | %s | %s |\n' "$1" "$2" "$hunks" "$lines"
}

printf '| tool | version | conflicts | lines that differ |\n|---|---|---|---|\n'
cp -r "$room/mine" "$room/k"
kmerge merge3 --original "$room/v1" --updated "$room/v2" --dest "$room/k" 2> /dev/null
row '`kmerge merge3`' "$(kmerge --version | cut -d' ' -f2)" "$room/k/web.yaml"

git merge-file -p "$room/mine/web.yaml" "$room/v1/web.yaml" "$room/v2/web.yaml" > "$room/git.yaml" || true
row '`git merge-file`' "$(git --version | cut -d' ' -f3)" "$room/git.yaml"

if command -v mergiraf > /dev/null; then
    mergiraf merge "$room/v1/web.yaml" "$room/mine/web.yaml" "$room/v2/web.yaml" > "$room/mergiraf.yaml" 2> /dev/null || true
    row '`mergiraf merge`' "$(mergiraf --version | cut -d' ' -f2)" "$room/mergiraf.yaml"
fi

if command -v kpt > /dev/null; then
    git init -qb main "$room/upstream"
    cd "$room/upstream"
    for version in v1 v2; do
        mkdir -p pkg && cp "$room/$version/web.yaml" pkg/
        git add . && git commit -qm "$version" && git tag "$version"
    done
    cd "$room"
    kpt pkg get "file://$room/upstream.git/pkg@v1" p > get.log 2>&1
    cp mine/web.yaml p/web.yaml
    (cd p && git init -qb main . && git add . && git commit -qm mine)
    kpt pkg update p@v2 --strategy resource-merge > update.log 2>&1 || cat update.log >&2
    row '`kpt pkg update`' "$(kpt version)" p/web.yaml
    cd "$here"
fi
