package run

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
	"github.com/bbgen/bbgen/runtime/values"
)

// echo is a session whose output is its input.
type echo struct{ x []float32 }

func (e *echo) SetInput(_ int, v tensor.Value) error {
	return values.Assign(&e.x, v, values.Fixed(2))
}
func (e *echo) Run() error              { return nil }
func (e *echo) Output(int) tensor.Value { return tensor.Of(e.x, 2) }

func echoProgram() model.Program {
	x := model.Port{Name: "x", Type: "float32[2]", Elem: tensor.Float32, Dims: []string{"2"}}
	y := x
	y.Name = "y"
	return model.Program{
		Name: "echo", Source: "echo.onnx", Inputs: []model.Port{x}, Outputs: []model.Port{y},
		New: func() (model.Session, error) { return &echo{}, nil },
	}
}

// inFolder makes the test run in a folder with files to read.
func inFolder(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	x := tensor.Of([]float32{1, 2}, 2)
	npy, err := tensorio.AppendNPY(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"x.npy": npy, "x.pb": tensorio.AppendTensor(nil, "x", x), "x.dat": tensorio.AppendTensor(nil, "x", x), "x.npz": []byte("PK\x03\x04")} {
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDo runs command lines.
func TestDo(t *testing.T) {
	inFolder(t)
	var help strings.Builder
	usage(echoProgram(), Commands, &help)
	for _, c := range []struct {
		args           string
		code           int
		stdout, stderr string // complete
	}{
		{"run -in x=x.npy", 0, "y float32[2] [1 2]\n", ""},
		{"run -in x=x.pb", 0, "y float32[2] [1 2]\n", ""},
		{"run -in x=x.dat", 0, "y float32[2] [1 2]\n", ""},
		{"run -in x=x.npz", 1, "", "echo run: x.npz: want a .npy file, or ONNX's message in a .pb file\n"},
		{"run -in x=gone.npy", 1, "", "echo run: open gone.npy: no such file or directory\n"},
		{"run -in x=x.npy -in x=x.pb", 2, "", "echo run: -in x=x.pb: input \"x\" is given twice\n"},
		{"run -in x=x.npy -threads -1", 2, "", "echo run: -threads is -1, want 0 or more\n"},
		{"run -inn x=x.npy", 2, "", "echo run: there is no flag -inn; did you mean -in?\n"},
		{"bench -time -3s", 2, "", "echo bench: -time is -3s, want more than 0\n"},
		{"bench -profile -top -1", 2, "", "echo bench: -top is -1, want 0 or more\n"},
		{"serve", 2, "", "echo: no command \"serve\": generate the model with --serve\n\n" + help.String()},
		{"bench -threads -3", 2, "", "echo bench: -threads is -3, want 0 or more\n"},
		{"info -json", 0, `{"name":"echo","file":"echo.onnx","weight_bytes":0,"arena_bytes":0,"level":"LEVEL","inputs":[{"name":"x","type":"float32[2]"}],"outputs":[{"name":"y","type":"float32[2]"}]}` + "\n", ""},
	} {
		var stdout, stderr strings.Builder
		code := Do(echoProgram(), Commands, strings.Fields(c.args), &stdout, &stderr)
		want := strings.ReplaceAll(c.stdout, "LEVEL", cpu.CurrentLevel().String())
		if code != c.code || stdout.String() != want || stderr.String() != c.stderr {
			t.Errorf("%s: exit %d, printed %q and %q\nwant %d, %q and %q", c.args, code, &stdout, &stderr, c.code, want, c.stderr)
		}
	}
}

// failing is a session that cannot compute its input.
type failing struct{ echo }

func (*failing) Run() error { return errors.New(`echo: node "y" (Add): out of range`) }

// TestDoName tests that an error of a run, which names the model, does not name it twice.
func TestDoName(t *testing.T) {
	inFolder(t)
	p := echoProgram()
	p.New = func() (model.Session, error) { return &failing{}, nil }
	var stderr strings.Builder
	code := Do(p, Commands, []string{"run", "-in", "x=x.npy"}, io.Discard, &stderr)
	if want := "echo run: node \"y\" (Add): out of range\n"; code != 1 || stderr.String() != want {
		t.Errorf("exit %d, printed %q, want 1 and %q", code, &stderr, want)
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestDoFull tests that output that cannot be printed is a failure.
func TestDoFull(t *testing.T) {
	inFolder(t)
	for _, args := range []string{"run -in x=x.npy", "info", "info -json", "bench -time 1ms"} {
		var stderr strings.Builder
		if code := Do(echoProgram(), Commands, strings.Fields(args), full{}, &stderr); code != 1 || !strings.HasSuffix(stderr.String(), ": no space left\n") {
			t.Errorf("%s: exit %d, printed %q, want 1 and why", args, code, &stderr)
		}
	}
}

// TestFirstElements shows the printed elements of outputs.
func TestFirstElements(t *testing.T) {
	many := make([]string, 18)
	for i := range many {
		many[i] = "a b"
	}
	for _, c := range []struct {
		x    *tensor.Tensor
		want string
	}{
		{tensor.Of([]float32{1, 2.5}, 2), "[1 2.5]"},
		{tensor.New(tensor.Int64, 17), "[0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 … 1 more]"},
		{tensor.Of([]string{"New York", ""}, 2), `["New York" ""]`},
		{tensor.Of(many, 18), "[" + strings.Repeat(`"a b" `, 16) + "… 2 more]"},
		{tensor.Of([]string{}, 0), "[]"},
	} {
		if got := firstElements(c.x); got != c.want {
			t.Errorf("%v: got %s, want %s", c.x, got, c.want)
		}
	}
}
