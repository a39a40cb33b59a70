package feed

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// twoInputs returns a partition whose module has the host inputs x and y.
func twoInputs() *runtime.Partition {
	return &runtime.Partition{Modules: []runtime.Module{
		{Name: "start"},
		{Name: "infer", Cuts: []runtime.Cut{{Name: "x"}, {Name: "y"}}, Inputs: []int{0, 1}},
	}}
}

// TestNew finds the module for files, and arranges them as its executions.
func TestNew(t *testing.T) {
	f, err := New(twoInputs(), []string{"y=y0", "x=x0", "x=x1", "y=y1"})
	if err != nil {
		t.Fatal(err)
	}
	if f.module != "infer" || len(f.runs) != 2 || strings.Join(f.runs[1], " ") != "x1 y1" {
		t.Errorf("executions of %s are given %v", f.module, f.runs)
	}
	for _, c := range []struct {
		p    *runtime.Partition
		in   string
		want string
	}{
		{twoInputs(), "x", "-in x: want NAME=FILE"},
		{twoInputs(), "=file", "-in =file: want NAME=FILE"},
		{twoInputs(), "x=", "-in x=: want NAME=FILE"},
		{twoInputs(), "x=a", "-in: infer begins with x, y, and has no y: give -in y=FILE, too"},
		{twoInputs(), "x=a z=b", "-in: no module has just these inputs; there are: x, y of infer"},
		{twoInputs(), "x=a x=b y=c", "-in: 2 files for x and 1 for y: want as many"},
		{looping(), "turn=a params=b", "-in: no module has just these inputs; there are: x, y of infer"},
		{&runtime.Partition{}, "x=a", "-in: the program gives this peer no inputs from its host"},
	} {
		if _, err := New(c.p, strings.Fields(c.in)); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %q", c.in, err, c.want)
		}
	}
}

// looping returns twoInputs below a loop of rounds.
func looping() *runtime.Partition {
	p := twoInputs()
	p.Modules = append([]runtime.Module{{Name: "loop", Cuts: []runtime.Cut{{Name: "turn"}, {Name: "params"}}, Inputs: []int{0, 1}, Loop: true}}, p.Modules...)
	return p
}

// TestUngiven finds the inputs for which there are no files; those of a round come from the round before.
func TestUngiven(t *testing.T) {
	p := looping()
	var none *Feed
	names := none.Ungiven(p)
	if got, want := Ask(names, "--in", "front."), "inputs x, y: give --in front.x=FILE --in front.y=FILE"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	f, err := New(p, []string{"x=a", "y=b"})
	if err != nil || f.Ungiven(p) != nil {
		t.Errorf("%v, with all files: %v", err, f.Ungiven(p))
	}
	p.Modules = p.Modules[:1]
	if got := none.Ungiven(p); got != nil {
		t.Errorf("a loop alone: %v", got)
	}
}

// TestNothing: an empty Feed has ended.
func TestNothing(t *testing.T) {
	f, err := New(twoInputs(), nil)
	if f != nil || err != nil {
		t.Fatalf("got %v, %v", f, err)
	}
	f.Follow(runtime.Event{})
	if began, err := f.Begin(nil, 0, 1); began || err != nil || !f.Over() || f.Unanswered() != 0 {
		t.Errorf("it begins %v, %v", began, err)
	}
}

// TestBegin begins an execution for each file, up to the limit.
func TestBegin(t *testing.T) {
	dir := t.TempDir()
	npy, pb, bad := filepath.Join(dir, "x.npy"), filepath.Join(dir, "x.pb"), filepath.Join(dir, "bad.npy")
	x := tensor.Of([]float64{1, 2}, 2)
	b, err := tensorio.AppendNPY(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{npy: b, pb: tensorio.AppendTensor(nil, "x", x), bad: []byte("no array")} {
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p := handmade.Ping(1)
	n, err := runtime.New(runtime.Config{Self: mem.PeerID(0), Incarnation: 1}, p)
	if err != nil {
		t.Fatal(err)
	}
	for ok := true; ok; { // until it runs
		_, ok = n.Poll(0)
	}
	f, err := New(p, []string{"x=" + npy, "x=" + pb, "x=" + bad})
	if err != nil {
		t.Fatal(err)
	}
	for i, most := range []int{1, 1, 2} {
		began, err := f.Begin(n, 0, most)
		if want := i != 1; began != want || err != nil {
			t.Errorf("with %d at most: began %v, %v; want %v", most, began, err, want)
		}
	}
	if f.Unanswered() != 3 || f.Over() {
		t.Errorf("%d have no answer, all are given: %v; want 3, one of which has not begun", f.Unanswered(), f.Over())
	}
	first := wire.ExecID{Origin: mem.PeerID(0), Incarnation: 1, Number: 1}
	f.Follow(runtime.Event{Kind: runtime.Finished, Exec: first, Module: f.module, Err: errors.New("a block failed")})
	if f.Open() != 1 || f.Unanswered() != 3 {
		t.Errorf("after a failure %d are open and %d have no answer, want 1 and 3", f.Open(), f.Unanswered())
	}
	if _, err := f.Begin(n, 0, 3); err == nil || !strings.Contains(err.Error(), "bad.npy") {
		t.Errorf("got %v, want the file's name", err)
	}
	if err := os.Remove(bad); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Begin(n, 0, 3); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that there is no such file", err)
	}
}

// TestPeers names peers by class and rank in place of a file.
func TestPeers(t *testing.T) {
	n, err := runtime.New(runtime.Config{Self: mem.PeerID(0), Incarnation: 1, Peers: []runtime.PeerConfig{
		{ID: mem.PeerID(1), Class: "far-worker", Rank: 0}, {ID: mem.PeerID(2), Class: "far-worker", Rank: 3},
	}}, handmade.Ping(1))
	if err != nil {
		t.Fatal(err)
	}
	got, err := valueOf(n, "@far-worker-3,far-worker-0")
	if want := values.PeerNames(mem.PeerID(2), mem.PeerID(1)); err != nil || !slices.Equal(tensor.Data[string](got.(*tensor.Tensor)), tensor.Data[string](want.(*tensor.Tensor))) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for names, want := range map[string]string{
		"@far-worker-1": "no peer far-worker-1 is admitted here",
		"@worker-0":     "no peer worker-0 is admitted here",
		"@far-worker":   `"far-worker" is no name of a peer, want CLASS-RANK, as in client-0`,
		"@-1":           `"-1" is no name of a peer, want CLASS-RANK, as in client-0`,
		"@":             `"" is no name of a peer, want CLASS-RANK, as in client-0`,
	} {
		if _, err := valueOf(n, names); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", names, err, want)
		}
	}
}

// TestWrite writes outputs to files named after the output and the execution, in the format that can hold them.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	e := runtime.Event{Name: "model/out", Value: tensor.Of([]float32{1, 2}, 2)}
	e.Exec.Number = 7
	for _, of := range []string{"", "client-0"} {
		if err := Write(disk.OS, dir, e, of); err != nil {
			t.Fatal(err)
		}
	}
	for name, v := range map[string]tensor.Value{
		"text":   tensor.Of([]string{"aé"}),
		"id":     tensor.Of([]string{"\xff"}),
		"half":   tensor.New(tensor.BFloat16, 2),
		"tokens": &tensor.Sequence{},
	} {
		e.Name, e.Value = name, v
		if err := Write(disk.OS, dir, e, ""); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range files {
		if _, err := readTensor(f); err != nil {
			t.Error(err)
		}
		files[i] = filepath.Base(f)
	}
	want := []string{"half-7.pb", "id-7.pb", "model_out-7.npy", "model_out-client-0-7.npy", "text-7.npy"}
	if !slices.Equal(files, want) {
		t.Errorf("the files are %v, want %v", files, want)
	}
	text, err := readTensor(filepath.Join(dir, "text-7.npy"))
	if err != nil || !tensor.Equal(text, tensor.Of([]string{"aé"})) {
		t.Errorf("read %v, %v", text, err)
	}
}
