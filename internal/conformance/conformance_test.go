package conformance

import (
	"archive/zip"
	"bytes"
	"reflect"
	"testing"
)

// TestCase reads an archive that the test makes: the real archives may be missing.
func TestCase(t *testing.T) {
	archive := pack(t, map[string]string{
		"manifest.json":                             `{"cases": [{"name": "node/test_abs", "op": "Abs", "flags": ["float16"], "rtol": 0.001, "compare": "values"}]}`,
		"node/test_abs/model.onnx":                  "model",
		"node/test_abs/test_data_set_0/input_0.pb":  "a",
		"node/test_abs/test_data_set_0/input_1.pb":  "b",
		"node/test_abs/test_data_set_0/output_0.pb": "c",
		"node/test_abs/test_data_set_1/output_0.pb": "d",
		"node/test_none/model.onnx":                 "not in the manifest",
	})
	cases := List(t, archive)
	if len(cases) != 1 {
		t.Fatalf("got %d cases, want 1", len(cases))
	}
	c := cases[0]
	if c.Op != "Abs" || c.RTol != 0.001 || !c.Is("float16") || c.Is("string") {
		t.Errorf("got %+v", c)
	}
	if got := string(c.Model(t)); got != "model" {
		t.Errorf("model is %q", got)
	}
	want := []Set{
		{Inputs: [][]byte{[]byte("a"), []byte("b")}, Outputs: [][]byte{[]byte("c")}},
		{Outputs: [][]byte{[]byte("d")}},
	}
	if got := c.Sets(t); !reflect.DeepEqual(got, want) {
		t.Errorf("sets are %q, want %q", got, want)
	}
}

// TestUnlisted reads an archive without a manifest.
func TestUnlisted(t *testing.T) {
	archive := pack(t, map[string]string{"mlp_sgd/model.onnx": "", "mlp_sgd/losses.json": "{}"})
	cases := List(t, archive)
	if len(cases) != 1 || cases[0].Name != "mlp_sgd" {
		t.Fatalf("got %v", cases)
	}
	if got := string(cases[0].File(t, "losses.json")); got != "{}" {
		t.Errorf("losses.json is %q", got)
	}
}

func TestArchives(t *testing.T) {
	for _, name := range []string{Cases, OldOpsets, Models, Training} {
		t.Run(name, func(t *testing.T) {
			cases := List(t, Open(t, name))
			if len(cases) == 0 {
				t.Error("no cases")
			}
			for _, c := range cases {
				if name != Training && len(c.Sets(t)) == 0 {
					t.Errorf("%s has no data", c.Name)
				}
			}
		})
	}
}

func pack(t *testing.T, files map[string]string) *zip.Reader {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range files {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r
}
