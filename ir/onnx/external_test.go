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

// shrinkingFile is a file that another process makes shorter after it was opened.
type shrinkingFile struct{ External }

func (f shrinkingFile) Size() int64 { return f.External.Size() + 1 }

// TestExternalFiles reads tensors from several files, of which one is open at a time, and from one that is shorter
// than when it was opened.
func TestExternalFiles(t *testing.T) {
	initializer := func(location string, offset int) string {
		return fmt.Sprintf(`initializer { name: "%s%d" dims: 2 data_type: 2 data_location: EXTERNAL
			external_data { key: "location" value: %[1]q } external_data { key: "offset" value: "%[2]d" } external_data { key: "length" value: "2" } }
			output { name: "%[1]s%[2]d" }`+"\n", location, offset)
	}
	open := 0
	files := func(location string) (External, error) {
		open++
		return closing{inMemory(map[string]string{"a": "\x01\x02\x03\x04", "b": "\x05\x06"}[location]), &open}, nil
	}
	m, err := Decode("m.onnx", fromText(t, "graph {"+initializer("a", 0)+initializer("b", 0)+initializer("a", 2)+"}"), func(location string) (External, error) {
		if open != 0 {
			t.Errorf("%q is opened while another file is open", location)
		}
		return files(location)
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []*tensor.Tensor{tensor.Of([]uint8{1, 2}, 2), tensor.Of([]uint8{5, 6}, 2), tensor.Of([]uint8{3, 4}, 2)} {
		if got := m.Main.Body.Results[i].Const; !tensor.Equal(got, want) {
			t.Errorf("output %d is %v, want %v", i, got.Data, want.Data)
		}
	}
	_, err = Decode("m.onnx", fromText(t, "graph {"+initializer("b", 1)+"}"), func(location string) (External, error) {
		f, err := files(location)
		return shrinkingFile{f}, err
	})
	if want := `m.onnx: initializer "b1": external data "b": 2 bytes at 1: unexpected EOF`; fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if open != 0 {
		t.Errorf("%d files are still open", open)
	}
}

// closing counts down when it is closed.
type closing struct {
	External
	open *int
}

func (c closing) Close() error {
	*c.open--
	return nil
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
