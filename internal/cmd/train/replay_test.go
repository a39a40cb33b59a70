package train

import (
	"archive/zip"
	"encoding/json"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/conformance"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// TestReplay reproduces the recorded trajectories: gradients of the first step and losses to 1e-4, final
// weights to 1e-3 of the largest, except for weights that depend only on rounding.
func TestReplay(t *testing.T) {
	archive := conformance.Open(t, conformance.Training)
	if testing.Short() {
		t.Skip("builds a program for each case")
	}
	for _, c := range conformance.List(t, archive) {
		t.Run(c.Name, func(t *testing.T) {
			dir, out := t.TempDir(), t.TempDir()
			extract(t, archive, c.Name, dir)
			if err := replay(dir, out, nil); err != nil {
				t.Fatal(err)
			}
			compareLosses(t, dir, out)
			compareTensors(t, filepath.Join(dir, "grads0"), filepath.Join(out, "grads0"), 1e-4, nil)
			compareTensors(t, filepath.Join(dir, "final"), filepath.Join(out, "final"), 1e-3, noise(t, filepath.Join(dir, "grads0")))
		})
	}
}

// extract writes the files of a case to dir.
func extract(t *testing.T, archive *zip.Reader, name, dir string) {
	t.Helper()
	for _, f := range archive.File {
		rel, ok := strings.CutPrefix(f.Name, name+"/")
		if !ok || f.FileInfo().IsDir() {
			continue
		}
		to := filepath.Join(dir, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			t.Fatal(err)
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func compareLosses(t *testing.T, want, got string) {
	t.Helper()
	a, b := readLosses(t, want), readLosses(t, got)
	if len(a) != len(b) {
		t.Fatalf("%d losses, want %d", len(b), len(a))
	}
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-4*math.Abs(a[i]) {
			t.Errorf("loss %d is %v, want %v", i, b[i], a[i])
		}
	}
}

func readLosses(t *testing.T, dir string) []float64 {
	t.Helper()
	var r recorded
	b, err := os.ReadFile(filepath.Join(dir, "losses.json"))
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r.Losses
}

// noise reports elements with a first gradient that consists only of rounding errors: it is 0 in exact
// arithmetic, such as that of the biases of attention's keys. Adam's steps have the size of the learning rate
// and the sign of the rounding error, so the results are arbitrary.
func noise(t *testing.T, dir string) func(name string, i int) bool {
	t.Helper()
	list, err := fs.Glob(os.DirFS(dir), "*.pb")
	if err != nil {
		t.Fatal(err)
	}
	top, grads := 0.0, map[string][]float32{}
	for _, name := range list {
		grads[name], _ = readTensor(t, filepath.Join(dir, name)).Data.([]float32)
		for _, v := range grads[name] {
			top = max(top, math.Abs(float64(v)))
		}
	}
	return func(name string, i int) bool {
		g := grads[name]
		return i < len(g) && g[i] != 0 && math.Abs(float64(g[i])) < 1e-8*top
	}
}

// compareTensors compares the tensors of two folders, with a tolerance relative to the largest number in the
// first folder, except for elements in skip.
func compareTensors(t *testing.T, want, got string, tol float64, skip func(name string, i int) bool) {
	t.Helper()
	list, err := fs.Glob(os.DirFS(want), "*.pb")
	if err != nil || len(list) == 0 {
		t.Fatalf("%s: %d tensors: %v", want, len(list), err)
	}
	top, off := 0.0, map[string]float64{}
	for _, name := range list {
		a, b := readTensor(t, filepath.Join(want, name)), readTensor(t, filepath.Join(got, name))
		if a.String() != b.String() {
			t.Errorf("%s is %s, want %s", name, b, a)
			continue
		}
		x, ok := a.Data.([]float32)
		if !ok {
			continue // a count of batches
		}
		for i, v := range tensor.Data[float32](b) {
			top = max(top, math.Abs(float64(x[i])))
			if skip != nil && skip(name, i) {
				continue
			}
			off[name] = max(off[name], math.Abs(float64(v)-float64(x[i])))
		}
	}
	for name, e := range off {
		if !(e <= tol*top) {
			t.Errorf("%s is off by %.2g of the largest number", filepath.Join(filepath.Base(want), name), e/top)
		}
	}
}

func readTensor(t *testing.T, file string) *tensor.Tensor {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	x, _, err := tensorio.DecodeTensor(b)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return x
}
