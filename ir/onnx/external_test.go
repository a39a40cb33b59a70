package onnx

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// externalModel returns a model with one initializer in another file.
func externalModel(t *testing.T, location string) []byte {
	return fromText(t, fmt.Sprintf(`graph {
		initializer { name: "w" dims: 4 data_type: 2 data_location: EXTERNAL external_data { key: "location" value: %q } }
		output { name: "w" }
	}`, location))
}

// TestReadFile checks which external data files a model may name.
func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("secret", "abcd")
	write("model/data/weights.bin", "\x01\x02\x03\x04")
	if err := os.Symlink("../secret", filepath.Join(dir, "model/link")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if err := os.Symlink("data/weights.bin", filepath.Join(dir, "model/inside")); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ location, want string }{
		{"data/weights.bin", ""},
		{"./data/../data/weights.bin", ""},
		{"inside", ""},
		{"../secret", `external data "../secret" is not below the model's directory`},
		{"data/../../secret", "is not below the model's directory"},
		{filepath.Join(dir, "secret"), "is not below the model's directory"},
		{"link", `external data "link": path escapes from parent`},
		{"data", `external data "data" is not a regular file`},
		{"none", `external data "none": no such file or directory`},
	}
	for _, tt := range tests {
		write("model/m.onnx", string(externalModel(t, tt.location)))
		path := filepath.Join(dir, "model/m.onnx")
		m, err := ReadFile(path)
		if tt.want != "" {
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), path+`: initializer "w": `) {
				t.Errorf("%s: got %v, want %s", tt.location, err, tt.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.location, err)
			continue
		}
		want := tensor.Of([]uint8{1, 2, 3, 4}, 4)
		if got := m.Main.Body.Results[0].Const; !tensor.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", tt.location, got.Data, want.Data)
		}
	}
}

// TestReadFileMissing checks the error for a model file that does not exist.
func TestReadFileMissing(t *testing.T) {
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none.onnx")); !os.IsNotExist(err) {
		t.Errorf("got %v", err)
	}
}

// TestNoFiles decodes bytes without access to other files.
func TestNoFiles(t *testing.T) {
	_, err := Decode("m.onnx", externalModel(t, "weights.bin"), nil)
	if want := `m.onnx: initializer "w": external data "weights.bin" is not allowed here`; fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
