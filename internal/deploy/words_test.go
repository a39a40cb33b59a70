package deploy

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// awkward are names that YAML reads as something else than text if they have no quotes: those of YAML 1.1, which Kubernetes and
// Compose read, and of YAML 1.2.
var awkward = []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null", "7", "07", "1e3", "0x1f", "0b1", "0o7", "2026-01-02", "1-2", "nan", "inf", "a"}

// strings11 checks that no scalar of a document is a word that YAML 1.1 does not read as text, unless it is quoted. Numbers and truth
// values of a manifest are those below the given keys.
func strings11(t *testing.T, n *yaml.Node, path string, allowed func(path string) bool) {
	if n.Kind == yaml.MappingNode {
		for i := 0; i < len(n.Content); i += 2 {
			strings11(t, n.Content[i], path+" (key)", allowed)
			strings11(t, n.Content[i+1], path+"/"+n.Content[i].Value, allowed)
		}
		return
	}
	for _, c := range n.Content {
		strings11(t, c, path, allowed)
	}
	if n.Kind != yaml.ScalarNode || n.Style != 0 || allowed(path) {
		return
	}
	switch strings.ToLower(n.Value) {
	case "y", "n", "yes", "no", "on", "off":
		t.Errorf("%s is %s, which is a truth value in YAML 1.1", path, n.Value)
	}
	if n.Tag != "!!str" {
		t.Errorf("%s is %s, which is no text but %s", path, n.Value, n.Tag)
	}
}

// TestAwkwardNames: the names of programs and classes are text in each manifest, whatever they are.
func TestAwkwardNames(t *testing.T) {
	named := func(path string) bool { // where a name of the program stands
		for _, key := range []string{"/name", "/component", "/hostname", "/serviceName", "/secretName", "/source", " (key)"} {
			if strings.HasSuffix(path, key) {
				return true
			}
		}
		return false
	}
	for _, program := range awkward {
		for _, class := range append(awkward, "") {
			p := &Program{Name: program, Fingerprint: "00", Classes: []Class{{Name: class, Serves: class == ""}}}
			if p.Classes[0].Name != "" && slug(class) == "" {
				continue
			}
			f, err := p.NewFleet(nil, nil, "")
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range []*Options{{Fleet: f, Compose: true}, {Fleet: f, Kubernetes: true}} {
				files, err := p.manifests(o, nil)
				if err != nil {
					if o.Kubernetes && strings.Contains(err.Error(), "is no name for Kubernetes") {
						continue
					}
					t.Fatalf("%s, class %s: %v", program, class, err)
				}
				for _, m := range files {
					if !strings.HasSuffix(m.path, ".yaml") {
						continue
					}
					d := yaml.NewDecoder(strings.NewReader(m.text))
					for {
						var n yaml.Node
						if d.Decode(&n) != nil {
							break
						}
						strings11(t, &n, fmt.Sprintf("%s.%s: %s", program, class, m.path), func(path string) bool { return !named(path) })
					}
				}
			}
		}
	}
}
