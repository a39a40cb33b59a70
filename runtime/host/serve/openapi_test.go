package serve

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestOpenAPI: all references of the document exist, it has all paths, and its operations have unique names.
func TestOpenAPI(t *testing.T) {
	h := server(t, adder(2, nil))
	w := send(h, "GET", "/openapi.json", "")
	var doc struct {
		OpenAPI    string
		Info       struct{ Title, Version string }
		Paths      map[string]map[string]struct{ OperationID string }
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil || doc.OpenAPI != "3.1.0" || doc.Info.Title != "adder" || doc.Info.Version == "" {
		t.Fatalf("got %s, %v", w.Body, err)
	}
	for part := range strings.SplitSeq(w.Body.String(), `"$ref":"#/components/schemas/`) {
		name, _, _ := strings.Cut(part, `"`)
		if name != "{" && doc.Components.Schemas[name] == nil {
			t.Errorf("there is no schema %q", name)
		}
	}
	ids := map[string]bool{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			if ids[op.OperationID] {
				t.Errorf("operation %q is there twice", op.OperationID)
			}
			ids[op.OperationID] = true
			path := strings.NewReplacer("{model}", "adder", "{version}", "1").Replace(path)
			if w := send(h, strings.ToUpper(method), path, "{}", "Content-Type", mimeJSON); w.Code != 200 && w.Code != 400 {
				t.Errorf("%s %s: got %d %s", method, path, w.Code, w.Body)
			}
		}
	}
	for _, path := range []string{"/run", "/healthz", "/metrics", "/openapi.json", "/", "/v2", "/v2/models/{model}/infer", "/v2/models/{model}/versions/{version}/ready"} {
		if doc.Paths[path] == nil {
			t.Errorf("the document does not name %s", path)
		}
	}
	if again := send(h, "GET", "/openapi.json", ""); again.Body.String() != w.Body.String() {
		t.Error("the document changes")
	}
}
