package sim

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// echo is a module that gives its input back to the host.
type echo struct {
	tick
	x tensor.Value
}

func (e *echo) Input(_ int, v tensor.Value) error {
	e.x = v
	return nil
}

func (e *echo) Run(n *runtime.Engine, _ int) error {
	if tensor.Data[float32](e.x.(*tensor.Tensor))[0] < 0 {
		return errors.New("refuses a negative number")
	}
	n.Emit(&e.Frame, "y", e.x)
	return nil
}

// echoes is a program whose peers have a host input, as the bootstrap of the peer or later.
func echoes(boot bool) Program {
	return Program{Name: "echoes", Classes: []Class{{"a", func(runtime.Env) (*runtime.Partition, error) {
		return &runtime.Partition{Class: "a", Modules: []runtime.Module{{
			Name: "a", Bootstrap: boot, New: func() runtime.Body { return &echo{} }, Inputs: []int{0}, Cuts: []runtime.Cut{{Kind: runtime.InputCut, Name: "x"}},
			Blocks: []runtime.Block{{Name: "answer", Wait: 1, Ops: 1}},
		}}}, nil
	}}}}
}

// array writes a file with one number.
func array(t *testing.T, dir, name string, x float32) string {
	t.Helper()
	b, err := tensorio.AppendNPY(nil, tensor.Of([]float32{x}, 1))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name), b, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, name)
}

// TestFiles: the files of an input go to the peers in turn, the program is done when all of them are answered, and each
// peer's outputs are in a folder of its own.
func TestFiles(t *testing.T) {
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	args := []string{"-n", "a=2", "-out", out, "-measure"}
	for i, name := range []string{"0.npy", "1.npy", "2.npy"} {
		args = append(args, "-in", "a.x="+array(t, dir, name, float32(i)))
	}
	_, text := do(t, echoes(false), args...)
	if !strings.Contains(text, `"done":true`) || !strings.Contains(text, `"wall":`) || !strings.Contains(text, `"memory":`) {
		t.Errorf("the run has ended with %s", text)
	}
	for peer, want := range map[string][]float32{"a-0": {0, 2}, "a-1": {1}} {
		files, err := filepath.Glob(filepath.Join(out, peer, "y-*.npy"))
		if err != nil || len(files) != len(want) {
			t.Errorf("%s has %v, %v, want %d files", peer, files, err, len(want))
			continue
		}
		for i, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			x, err := tensorio.DecodeNPY(b)
			if err != nil || tensor.Data[float32](x)[0] != want[i] {
				t.Errorf("%s holds %v, %v, want %v", name, x, err, want[i])
			}
		}
	}
}

// TestUnanswered: a run is not done if an input has no answer.
func TestUnanswered(t *testing.T) {
	if _, text := do(t, echoes(false), "-in", "a.x="+array(t, t.TempDir(), "x.npy", -1)); !strings.Contains(text, `"failed":1,"done":false,"unanswered":1,`) {
		t.Errorf("the run has ended with %s", text)
	}
}

// TestFileErrors: an input that cannot be read or written ends the run with the file's name.
func TestFileErrors(t *testing.T) {
	dir := t.TempDir()
	file := array(t, dir, "x.npy", 1)
	for _, c := range []struct {
		boot bool
		args string
		want string
	}{
		{false, "-in a.x=" + filepath.Join(dir, "none.npy"), "none.npy"},
		{false, "-in a.z=" + file, "there are: x of a"},
		{false, "-out " + filepath.Join(file, "out") + " -in a.x=" + file, "not a directory"},
		{true, "-for 1s", "the bootstrap of a-0 waits for an input: give --in a.x=FILE"},
	} {
		var out, errs strings.Builder
		if err := Do(echoes(c.boot), strings.Fields(c.args), &out, &errs); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.args, err, c.want)
		}
	}
	if _, text := do(t, echoes(true), "-for", "1s", "-in", "a.x="+file); !strings.Contains(text, `"name":"y"`) {
		t.Errorf("the bootstrap has not run: %s", text)
	}
}
