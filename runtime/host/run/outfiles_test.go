package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// TestSameOutFile: two outputs for one file are refused before the model runs, however the file is written; otherwise the second
// would silently replace the first.
func TestSameOutFile(t *testing.T) {
	a, b := matrix, matrix
	b.Name = "z"
	for _, args := range []string{
		"-out x=y.npy -out z=y.npy", "-out x=y.npy -out z=./y.npy", "-out x=dir/../y.npy -out z=y.npy", "-out x=dir//y.npy -out z=dir/y.npy",
		"-out dir -out x=dir/output_1.pb", "-out dir/ -out ./dir", "-out dir -npy -out z=dir/./output_0.npy",
	} {
		t.Run(args, func(t *testing.T) {
			t.Chdir(folder(t))
			if err := os.Mkdir("dir", 0o777); err != nil {
				t.Fatal(err)
			}
			var all strings.Builder
			code := Do(program(a, b), Commands, append([]string{"run", "-in", "x=matrix.npy", "-in", "z=matrix.npy"}, strings.Fields(args)...), &all, &all)
			if code != 2 || !strings.Contains(all.String(), "two outputs are for the file") {
				t.Errorf("code %d: %s", code, &all)
			}
			if list, err := os.ReadDir("dir"); err != nil || len(list) != 0 {
				t.Errorf("the folder has %v, %v, want nothing", list, err)
			}
		})
	}
}

// TestOutFiles writes outputs into different files, which hold what the model has computed.
func TestOutFiles(t *testing.T) {
	t.Chdir(folder(t))
	a, b := matrix, matrix
	b.Name = "z"
	putNPY(t, "other.npy", tensor.Of([]float32{7, 8}, 1, 2))
	var all strings.Builder
	args := strings.Fields("run -in x=matrix.npy -in z=other.npy -out x=one.npy -out z=./two.pb -out both -npy")
	if err := os.Mkdir("both", 0o777); err != nil {
		t.Fatal(err)
	}
	if code := Do(program(a, b), Commands, args, &all, &all); code != 0 || all.Len() > 0 {
		t.Fatalf("code %d: %s", code, &all)
	}
	for file, want := range map[string][]float32{"one.npy": {1, -2}, "two.pb": {7, 8}, "both/output_0.npy": {1, -2}, "both/output_1.npy": {7, 8}} {
		v, err := readValue(filepath.FromSlash(file), model.Port{Type: "float32[1,2]", Elem: tensor.Float32})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if got := tensor.Data[float32](v.(*tensor.Tensor)); !slices.Equal(got, want) {
			t.Errorf("%s holds %v, want %v", file, got, want)
		}
	}
}

// FuzzReadValue reads arbitrary bytes as each kind of value: an error names the file, and a value is one of the kind.
func FuzzReadValue(f *testing.F) {
	x := tensor.Of([]float32{1, 2}, 1, 2)
	npy, err := tensorio.AppendNPY(nil, x)
	if err != nil {
		f.Fatal(err)
	}
	m := &tensor.Map{Keys: tensor.Of([]int64{3, 5}, 2), Values: tensor.Of([]float32{0.5, 1}, 2)}
	for _, b := range [][]byte{npy, npy[:len(npy)-1], tensorio.AppendTensor(nil, "x", x), tensorio.AppendMap(nil, "m", m), tensorio.AppendOptional(nil, "o", &tensor.Optional{}),
		tensorio.AppendSequence(nil, "s", &tensor.Sequence{Items: []tensor.Value{m}}), nil, {0}, []byte("\x93NUMPY\x01\x00\xff\xff{")} {
		f.Add(b)
	}
	kinds := []model.Port{matrix, list, table, maybe, words, {Name: "s", Type: "seq(float32[])"}, {Name: "o", Type: "optional(optional(seq(float32[])))"}}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, name := range []string{"a.pb", "a.npy", "a"} {
			file := filepath.Join(dir, name)
			if err := os.WriteFile(file, b, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, p := range kinds {
				v, err := readValue(file, p)
				if err != nil && !strings.Contains(err.Error(), file) || (err == nil) == (v == nil) {
					t.Errorf("%s as %s: %v, %v", name, p.Type, v, err)
				}
			}
		}
	})
}
