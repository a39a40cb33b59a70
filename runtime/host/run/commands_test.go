package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// passing is a model whose outputs are its inputs.
type passing struct{ values []tensor.Value }

func (e *passing) SetInput(i int, v tensor.Value) error {
	if t, ok := v.(*tensor.Tensor); ok && i == 0 && len(t.Shape) != 2 {
		return fmt.Errorf("has rank %d, want 2", len(t.Shape))
	}
	e.values[i] = v
	return nil
}

func (e *passing) Run() error {
	if t, ok := e.values[0].(*tensor.Tensor); ok && t.Len() > 0 && t.DType == tensor.Float32 && tensor.Data[float32](t)[0] == 13 {
		return errors.New("node \"unlucky\" fails")
	}
	return nil
}

func (e *passing) Output(i int) tensor.Value { return e.values[i] }

func (e *passing) Profiled() []model.ProfiledNode {
	return []model.ProfiledNode{{Name: "copy", Op: "Identity", Call: "Copy"}}
}

func (e *passing) Profile(p model.Profiler) error {
	p.Begin(0, 0, 8)
	p.End()
	return e.Run()
}

// program returns a program with these ports.
func program(ports ...model.Port) model.Program {
	return model.Program{
		Name: "echo", Source: "echo.onnx", Inputs: ports, Outputs: ports, Arena: 64, Weights: 128,
		New: func() (model.Session, error) { return &passing{make([]tensor.Value, len(ports))}, nil },
	}
}

var (
	matrix = model.Port{Name: "x", Type: "float32[n,2]", Elem: tensor.Float32, Dims: []string{"n", "2"}}
	list   = model.Port{Name: "list", Type: "seq(map(int64, float32[]))"}
	table  = model.Port{Name: "table", Type: "map(int64, float32[])", Elem: tensor.Float32, Key: tensor.Int64}
	maybe  = model.Port{Name: "maybe", Type: "optional(float32[2])"}
	words  = model.Port{Name: "words", Type: "string[2]", Elem: tensor.String, Dims: []string{"2"}}
	rows   = model.Port{Name: "words", Type: "string[1,2]", Elem: tensor.String, Dims: []string{"1", "2"}}
)

// folder has a value for each of the ports above, input_I.pb, and arrays.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	x := tensor.Of(make([]float32, 20), 10, 2)
	m := &tensor.Map{Keys: tensor.Of([]int64{3, 5}, 2), Values: tensor.Of([]float32{0.5, 1}, 2)}
	for i, b := range [][]byte{
		tensorio.AppendTensor(nil, "x", x),
		tensorio.AppendSequence(nil, "list", &tensor.Sequence{Items: []tensor.Value{m, m}}),
		tensorio.AppendMap(nil, "table", m),
		tensorio.AppendOptional(nil, "maybe", &tensor.Optional{}),
		tensorio.AppendTensor(nil, "words", tensor.Of([]string{"a", "b"}, 2)),
	} {
		put(t, filepath.Join(dir, fmt.Sprintf("input_%d.pb", i)), b)
	}
	putNPY(t, filepath.Join(dir, "matrix.npy"), tensor.Of([]float32{1, -2}, 1, 2))
	if err := os.Mkdir(filepath.Join(dir, "arrays"), 0o777); err != nil {
		t.Fatal(err)
	}
	putNPY(t, filepath.Join(dir, "arrays", "input_0.npy"), tensor.Of([]float32{3, 4}, 1, 2))
	putNPY(t, filepath.Join(dir, "vector.npy"), tensor.Of([]float32{1, -2}, 2))
	putNPY(t, filepath.Join(dir, "unlucky.npy"), tensor.Of([]float32{13, 0}, 1, 2))
	putNPY(t, filepath.Join(dir, "words.npy"), tensor.Of([]string{"à la", "b"}, 1, 2))
	put(t, filepath.Join(dir, "broken.npy"), []byte("no array"))
	return dir
}

func putNPY(t *testing.T, file string, x *tensor.Tensor) {
	t.Helper()
	b, err := tensorio.AppendNPY(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	put(t, file, b)
}

func put(t *testing.T, file string, b []byte) {
	t.Helper()
	if err := os.WriteFile(file, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestCommands shows the output of command lines, which begins with the ports of the model.
func TestCommands(t *testing.T) {
	ports := map[string][]model.Port{"matrix": {matrix}, "all": {matrix, list, table, maybe, words}, "table": {table}, "words": {rows}}
	golden.Run(t, "testdata/commands.txtar", func(t *testing.T, a *golden.Archive) {
		t.Chdir(folder(t))
		level := regexp.MustCompile(`(?m)^level .*$`)
		for line := range strings.Lines(a.Get("in")) {
			args := strings.Fields(line)
			var stdout, stderr strings.Builder
			code := Do(program(ports[args[0]]...), Commands, args[1:], &stdout, &stderr)
			out := level.ReplaceAllString(fmt.Sprintf("%d\n%s%s", code, stdout.String(), stderr.String()), "level   LEVEL")
			a.Check(strings.TrimSpace(line), out)
		}
	})
}

// TestFolder: written folders can be read and compared.
func TestFolder(t *testing.T) {
	dir := folder(t)
	p := program(matrix, list, table, maybe, words)
	s, err := p.New()
	if err != nil {
		t.Fatal(err)
	}
	if err := LoadFolder(p, s, dir); err != nil {
		t.Fatal(err)
	}
	if err := WriteFolder(p, s, dir); err != nil {
		t.Fatal(err)
	}
	if err := CheckFolder(p, dir, compare.Tolerance{}); err != nil {
		t.Error(err)
	}
	put(t, filepath.Join(dir, "output_4.pb"), tensorio.AppendTensor(nil, "words", tensor.Of([]string{"a", "c"}, 2)))
	if err := CheckFolder(p, dir, compare.Tolerance{}); err == nil || !strings.HasPrefix(err.Error(), `output "words": `) {
		t.Errorf("another word: got %v", err)
	}
}

// TestOutputReplaced: run replaces the file of an output when the new content is complete, so whoever has opened
// the previous one still reads that.
func TestOutputReplaced(t *testing.T) {
	t.Chdir(folder(t))
	put(t, "m.npy", []byte("old"))
	f, err := os.Open("m.npy")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var stdout, stderr strings.Builder
	if code := Do(program(matrix), Commands, []string{"run", "-in", ".", "-out", "m.npy"}, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	if b, err := io.ReadAll(f); err != nil || string(b) != "old" {
		t.Errorf("the previous file is now %q, %v", b, err)
	}
	if b, err := os.ReadFile("m.npy"); err != nil || !strings.HasPrefix(string(b), "\x93NUMPY") {
		t.Errorf("the new file is %q, %v", b, err)
	}
}

// TestPresent: the value of an optional may be written without the optional.
func TestPresent(t *testing.T) {
	want := tensor.Of([]float32{1, 2}, 2)
	got, err := decode(tensorio.AppendTensor(nil, "maybe", want), maybe.Type)
	if err != nil {
		t.Fatal(err)
	}
	if x, ok := got.(*tensor.Tensor); !ok || !tensor.Equal(x, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestBench compares the form of the output of bench, without the times.
func TestBench(t *testing.T) {
	var stdout, stderr strings.Builder
	if code := Do(program(matrix), Commands, []string{"bench", "-time", "1us", "-threads", "1"}, &stdout, &stderr); code != 0 {
		t.Fatal(stderr.String())
	}
	var r result
	if err := json.Unmarshal([]byte(stdout.String()), &r); err != nil {
		t.Fatal(err)
	}
	if r.Name != "echo" || r.Threads != 1 || r.Sizes != "n=1" || r.Runs < 5 || r.Best > r.P20 || r.P20 > r.Median {
		t.Errorf("got %+v", r)
	}
}

// needsTwo is a model that needs two rows.
type needsTwo struct{ passing }

func (e *needsTwo) Run() error {
	if n := e.values[0].(*tensor.Tensor).Shape[0]; n < 2 {
		return fmt.Errorf("node \"pair\" (TopK): k is 2 for an axis of size %d", n)
	}
	return nil
}

// TestBenchSizes: an error that comes of the sizes that bench has chosen says how to give others.
func TestBenchSizes(t *testing.T) {
	p := program(matrix)
	p.New = func() (model.Session, error) { return &needsTwo{passing{make([]tensor.Value, 1)}}, nil }
	var stdout, stderr strings.Builder
	const want = "echo bench: node \"pair\" (TopK): k is 2 for an axis of size 1; that is with inputs of n=1: give other sizes with -size, or inputs with -in\n"
	if code := Do(p, Commands, []string{"bench", "-time", "1us"}, &stdout, &stderr); code != 1 || stderr.String() != want {
		t.Errorf("code %d, %q, want %q", code, stderr.String(), want)
	}
	if code := Do(p, Commands, []string{"bench", "-time", "1us", "-size", "n=2"}, &stdout, &stderr); code != 0 {
		t.Error(stderr.String())
	}
}

// TestBenchProfile shows the nodes of a profile, as a table and as JSON.
func TestBenchProfile(t *testing.T) {
	var stdout, stderr strings.Builder
	if code := Do(program(matrix), Commands, []string{"bench", "-profile", "-json", "-top", "1", "-time", "1us", "-threads", "1"}, &stdout, &stderr); code != 0 {
		t.Fatal(stderr.String())
	}
	var p profile
	if err := json.Unmarshal([]byte(stdout.String()), &p); err != nil {
		t.Fatal(err)
	}
	if p.Name != "echo" || p.Runs == 0 || len(p.Nodes) != 1 || p.Nodes[0].Node != "copy" || p.Peak.GBS <= 0 || p.Peak.GFLOPS <= 0 {
		t.Errorf("got %+v", p)
	}
}
