#!/bin/sh
# Sets one image in web.yaml with each tool that is installed, and counts the lines that differ from expected.yaml, in which
# only that value was changed by hand. Prints a table.
set -eu
cd "$(dirname "$0")"
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

row() { # NAME VERSION: the result is in $room/out.yaml
    lines=$(diff expected.yaml "$room/out.yaml" | grep -c '^[<>]') || true
    comments=$(grep -c '#' "$room/out.yaml") || true
    printf '| %s | %s | %s | %s of 4 |\n' "$1" "$2" "$lines" "$comments"
}

printf '| tool | version | lines that differ | lines with comments |\n|---|---|---|---|\n'

kmerge set web.yaml '.spec.template.spec.containers[name=web].image' shop/web:1.5.0 > "$room/out.yaml"
row '`kmerge set`' "$(kmerge --version | cut -d' ' -f2)"

patch='{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"shop/web:1.5.0"}]}}}}'
if command -v kubectl > /dev/null; then
    kubectl patch --local -f web.yaml -p "$patch" -o yaml > "$room/out.yaml"
    row '`kubectl patch --local`' "$(kubectl version --client | sed -n 's/^Client Version: v//p')"
    mkdir "$room/k"
    cp web.yaml "$room/k"
    printf 'resources: [web.yaml]\nimages: [{name: shop/web, newTag: 1.5.0}]\n' > "$room/k/kustomization.yaml"
    kubectl kustomize "$room/k" > "$room/out.yaml"
    row '`kubectl kustomize`' "$(kubectl version --client | sed -n 's/^Kustomize Version: v//p')"
fi

if command -v yq > /dev/null && yq --help 2>&1 | grep -q kislyuk; then
    yq -y '(.spec.template.spec.containers[] | select(.name == "web").image) = "shop/web:1.5.0"' web.yaml > "$room/out.yaml"
    row 'yq (Python)' "$(yq --version | cut -d' ' -f2)"
fi

if python3 -c 'import ruamel.yaml' 2> /dev/null; then
    python3 > "$room/out.yaml" <<'PYTHON'
import sys
from ruamel.yaml import YAML
yaml = YAML()
yaml.preserve_quotes = True
document = yaml.load(open("web.yaml"))
for container in document["spec"]["template"]["spec"]["containers"]:
    if container["name"] == "web":
        container["image"] = type(container["image"])("shop/web:1.5.0")
yaml.dump(document, sys.stdout)
PYTHON
    row 'ruamel.yaml' "$(python3 -c 'import ruamel.yaml; print(ruamel.yaml.__version__)')"
fi
