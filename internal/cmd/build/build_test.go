package build

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/cmd/cmdtest"
)

// TestMain is also the go command of the tests.
func TestMain(m *testing.M) {
	cmdtest.Main(m, func(string, []string) int { return 0 })
}

const scale = `module "scale"
opset 21

func @main(%x: float32[n,3]) -> (%y) {
  const %w: float32[3] = [1, 2, 3]
  %y = Mul(%x, %w) : ?
}
`

// TestBuild: the binary lands in a folder that did not exist, with the weights beside it only if that is asked for.
func TestBuild(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want []string // files
	}{
		{"embedded", nil, []string{"scale"}},
		{"beside", []string{"--weights", "file"}, []string{"scale", "scale.weights"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			file := cmdtest.Model(t, ".", "scale.onnx", scale)
			calls := cmdtest.Toolchain(t, "")
			_, messages, err := cmdtest.Run(t, Command(), append(c.args, file, "-o", "bin/scale", "-v", "--bind", "n=2")...)
			if err != nil {
				t.Fatal(err)
			}
			list, err := os.ReadDir("bin")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range list {
				got = append(got, e.Name())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("the folder holds %v, want %v", got, c.want)
			}
			const bytes = 12 // of three numbers
			if b, err := os.ReadFile("bin/scale.weights"); slices.Contains(got, "scale.weights") && len(b) != bytes {
				t.Errorf("the file of weights has %d bytes, %v, want %d", len(b), err, bytes)
			}
			if list := calls(); len(list) != 1 || !strings.HasSuffix(list[0], string(filepath.Separator)+"scale .") {
				t.Errorf("the go command was called %q, want one build of scale", list)
			}
			if want := "go build"; !strings.Contains(messages, want) {
				t.Errorf("the progress is %q, want %q in it", messages, want)
			}
		})
	}
}

// TestBuildWarns: a file of --tune of another model is no error, but a warning names it.
func TestBuildWarns(t *testing.T) {
	t.Chdir(t.TempDir())
	file := cmdtest.Model(t, ".", "scale.onnx", scale)
	cmdtest.Toolchain(t, "")
	tune := cmdtest.File(t, ".", "tune.json", `{"model": "other", "level": "avx2", "threads": 1, "layout": "last", "choices": []}`)
	_, messages, err := cmdtest.Run(t, Command(), file, "-o", "scale", "-q", "--tune", tune)
	if want := `bbgen: warning: tune.json: was measured for the model "other", this is "scale"` + "\n"; err != nil || messages != want {
		t.Errorf("got %q, %v, want %q", messages, err, want)
	}
}

// TestBuildFails: nothing is written if the go command fails.
func TestBuildFails(t *testing.T) {
	t.Chdir(t.TempDir())
	file := cmdtest.Model(t, ".", "scale.onnx", scale)
	cmdtest.Toolchain(t, "main.go:1: broken")
	_, _, err := cmdtest.Run(t, Command(), file, "-o", "scale", "-q", "--weights", "file")
	if want := "go build: exit status 1\nmain.go:1: broken"; err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
	if list, err := os.ReadDir("."); err != nil || len(list) != 1 {
		t.Errorf("the folder holds %v, %v, want the model alone", list, err)
	}
}

// TestRefuses shows command lines and models that are refused before the go command runs.
func TestRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	file := cmdtest.Model(t, ".", "scale.onnx", scale)
	twist := cmdtest.Model(t, ".", "twist.onnx", "module \"m\"\nopset 21, \"com.example\" 1\nfunc @main(%x: float32[n]) -> (%y) {\n  %y = \"com.example\":Twist(%x) : ? name \"twist_1\"\n}\n")
	taken := cmdtest.File(t, ".", "taken", "")
	calls := cmdtest.Toolchain(t, "")
	list := []cmdtest.Refusal{
		{Args: []string{file}, Want: "where to? give -o BIN", Usage: true},
		{Args: []string{"-o", "x"}, Want: "want one INPUT, an ONNX file: there is none", Usage: true},
		{Args: []string{file, "-o", file}, Want: "-o scale.onnx would replace the input scale.onnx", Usage: true},
		{Args: []string{file, "-o", "x", "--cpu", "z80"}, Want: `--cpu is "z80", want one of `, Usage: true},
		{Args: []string{"none.onnx", "-o", "x"}, Want: "none.onnx"},
		{Args: []string{twist, "-o", "x"}, Want: `twist.onnx: node "twist_1" (com.example:Twist)`},
	}
	if runtime.GOOS != "windows" {
		list = append(list, cmdtest.Refusal{Args: []string{file, "-o", filepath.Join(taken, "x")}, Want: "taken: not a directory"})
	}
	cmdtest.Refuse(t, Command, list...)
	if list := calls(); list[0] != "" {
		t.Errorf("the go command was called %q", list)
	}
}
