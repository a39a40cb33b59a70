package k8smanifest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"
)

// object is what all kinds have.
type object struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name   string            `json:"name"`
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
}

// kinds are the types of what the manifests may have, by version and kind.
var kinds = map[string]func() any{
	"apps/v1 Deployment":                 func() any { return new(apps.Deployment) },
	"apps/v1 StatefulSet":                func() any { return new(apps.StatefulSet) },
	"networking.k8s.io/v1 NetworkPolicy": func() any { return new(networking.NetworkPolicy) },
	"v1 ConfigMap":                       func() any { return new(core.ConfigMap) },
	"v1 Secret":                          func() any { return new(core.Secret) },
	"v1 Service":                         func() any { return new(core.Service) },
}

// check returns the kind of a document, and what the API would refuse: a field that its type does not have, a value of
// another type, a name or label with other characters.
func check(document string) (kind string, err error) {
	var o object
	if err := yaml.Unmarshal([]byte(document), &o); err != nil {
		return "", err
	}
	kind = o.APIVersion + " " + o.Kind
	if kinds[kind] == nil {
		return kind, fmt.Errorf("%q is no kind that is known here", kind)
	}
	if err := yaml.UnmarshalStrict([]byte(document), kinds[kind]()); err != nil {
		return kind, err
	}
	wrong := validation.IsDNS1123Subdomain(o.Metadata.Name)
	for k, v := range o.Metadata.Labels {
		wrong = append(append(wrong, validation.IsQualifiedName(k)...), validation.IsValidLabelValue(v)...)
	}
	if len(wrong) > 0 {
		return kind, fmt.Errorf("%s %q: %s", kind, o.Metadata.Name, strings.Join(wrong, "; "))
	}
	return kind, nil
}

// documents returns the documents of all manifests among the goldens of internal/deploy.
func documents(t *testing.T) (list []string) {
	t.Helper()
	files, err := filepath.Glob("../../internal/deploy/testdata/manifest_*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse(text).Files {
			if !strings.Contains(string(f.Data), "\nkind: ") {
				continue
			}
			for d := range strings.SplitSeq(string(f.Data), "\n---\n") {
				list = append(list, d)
			}
		}
	}
	return list
}

func TestManifests(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range documents(t) {
		kind, err := check(d)
		if err != nil {
			t.Errorf("%v in\n%s", err, d)
		}
		seen[kind] = true
	}
	for _, kind := range []string{"apps/v1 Deployment", "apps/v1 StatefulSet", "networking.k8s.io/v1 NetworkPolicy", "v1 Secret", "v1 Service"} {
		if !seen[kind] {
			t.Errorf("no manifest has a %s", kind)
		}
	}
}

// TestMistakes: what the API would refuse is found.
func TestMistakes(t *testing.T) {
	for name, document := range map[string]string{
		"kind":  "apiVersion: v1\nkind: Servant\nmetadata: {name: a}\n",
		"field": "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {prots: []}\n",
		"type":  "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: a}\nspec: {replicas: three}\n",
		"port":  "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{port: 80, targetPort: {}}]}\n",
		"name":  "apiVersion: v1\nkind: Service\nmetadata: {name: My_Service}\n",
		"label": "apiVersion: v1\nkind: Service\nmetadata: {name: a, labels: {app: 'two words'}}\n",
	} {
		if _, err := check(document); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
