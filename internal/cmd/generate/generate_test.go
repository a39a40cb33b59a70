package generate

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/cmd/cmdtest"
	"github.com/bbgen/bbgen/partitioner"
)

// command returns bbgen without subcommands.
func command() *cobra.Command {
	cmd := &cobra.Command{Use: "bbgen INPUT -o DIR", Args: cli.One("INPUT", "an ONNX file")}
	Setup(cmd)
	return cmd
}

const two = `module "two"
opset 21

func @main(%x: float32[n,3]) -> (%y) {
  const %w: float32[3] = [1, 2, 3]
  %h = Mul(%x, %w) : ?
  %y = Softmax(%h) : ?
}
`

// newModule makes a module that requires bbgen the working folder, with a model in it.
func newModule(t *testing.T) (model string) {
	t.Helper()
	t.Chdir(t.TempDir())
	cmdtest.File(t, ".", "go.mod", "module example.com/app\n\ngo 1.26\n\nrequire github.com/bbgen/bbgen v0.0.0\n")
	return cmdtest.Model(t, ".", "two.onnx", two)
}

// written returns the files below a folder, except for its vendor folder.
func written(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if d.IsDir() && name == "vendor" {
			return fs.SkipDir
		}
		if !d.IsDir() {
			list = append(list, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestGenerate shows which files a model becomes: a program, a package with a program, and the stages of a pipeline.
func TestGenerate(t *testing.T) {
	for name, c := range map[string]struct {
		args     []string
		want     []string // some of the files
		out, say string   // parts of what is printed
	}{
		"program":  {[]string{"-v"}, []string{"main.go", "model/model.bb.go", "model/weights.bin"}, "", "read"},
		"package":  {[]string{"--package", "two", "--weights", "file"}, []string{"cmd/two/main.go", "model.bb.go"}, "", ""},
		"direct":   {[]string{"--no-winograd", "--cpu", "avx2", "--bind", "n=2"}, []string{"main.go"}, "", ""},
		"pipeline": {[]string{"--split", "2", "--host", "tcp"}, []string{"stage0/main.go", "stage1/main.go"}, "stage1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			model := newModule(t)
			out, messages, err := cmdtest.Run(t, command(), append(c.args, model, "-o", "new")...)
			if err != nil {
				t.Fatal(err)
			}
			got := written(t, "new")
			for _, want := range c.want {
				if !slices.Contains(got, want) {
					t.Errorf("there is no %s among %v", want, got)
				}
			}
			if !strings.Contains(out, c.out) || !strings.Contains(messages, c.say) {
				t.Errorf("it prints %q and %q, want %q and %q in it", out, messages, c.out, c.say)
			}
		})
	}
}

// TestQuiet: --quiet leaves out how a model is cut.
func TestQuiet(t *testing.T) {
	model := newModule(t)
	out, messages, err := cmdtest.Run(t, command(), "-q", "--split", "2", "--host", "tcp", model, "-o", "new")
	if err != nil || out != "" || messages != "" {
		t.Errorf("it prints %q and %q, %v, want nothing", out, messages, err)
	}
}

// TestOwnModule: without a module that requires bbgen around it, the folder is a module of its own, with its runtime. One
// that is to be imported says how that becomes possible.
func TestOwnModule(t *testing.T) {
	model := newModule(t)
	cmdtest.File(t, ".", "go.mod", "module example.com/app\n\ngo 1.26\n")
	_, messages, err := cmdtest.Run(t, command(), model, "-o", "new", "--package", "two")
	if err != nil {
		t.Fatal(err)
	}
	if want := `run "go get github.com/bbgen/bbgen" there`; !strings.Contains(messages, want) {
		t.Errorf("it prints %q, want %q in it", messages, want)
	}
	for _, file := range []string{"go.mod", "vendor/modules.txt"} {
		if _, err := os.Stat(filepath.Join("new", file)); err != nil {
			t.Error(err)
		}
	}
}

// TestDump: each stage of a model, or of one that is cut, leaves something to print. Nothing is bound to the stages of a
// model.
func TestDump(t *testing.T) {
	model := newModule(t)
	for _, c := range []struct {
		config bbgen.Config
		args   []string
	}{
		{bbgen.Config{}, nil},
		{bbgen.Config{Cut: &bbgen.Cut{Split: &partitioner.SplitOptions{Stages: 2}}}, []string{"--split", "2"}},
	} {
		for _, stage := range c.config.StageNames() {
			out, _, err := cmdtest.Run(t, command(), append([]string{model, "--dump", stage}, c.args...)...)
			if err != nil || out == "" && stage != "bind" {
				t.Errorf("%s %q: got %q, %v", stage, c.args, out, err)
			}
		}
	}
	if list := written(t, "."); len(list) != 2 {
		t.Errorf("the folder holds %v, want the module and the model", list)
	}
}

// TestWarns: what does not apply in a file of --tune is said, and is no error.
func TestWarns(t *testing.T) {
	model := newModule(t)
	tune := cmdtest.File(t, ".", "tune.json", `{"model": "other", "level": "avx2", "threads": 1, "layout": "last", "choices": []}`)
	_, messages, err := cmdtest.Run(t, command(), model, "-o", "new", "-q", "--tune", tune)
	if want := `tune.json: was measured for the model "other"`; err != nil || !strings.Contains(messages, want) {
		t.Errorf("got %q, %v, want %q in it", messages, err, want)
	}
}

// TestRefuses shows command lines that are refused before anything is written.
func TestRefuses(t *testing.T) {
	model := newModule(t)
	bad := cmdtest.File(t, ".", "bad.json", "{")
	file := cmdtest.File(t, ".", "file", "")
	usage := func(want string, args ...string) cmdtest.Refusal {
		return cmdtest.Refusal{Args: append(args, model), Want: want, Usage: true}
	}
	cmdtest.Refuse(t, command,
		usage("where to? give -o DIR"),
		usage(`--weights is "x", want embed or file`, "-o", "new", "--weights", "x"),
		usage("--no-winograd leaves nothing of --tune", "-o", "new", "--no-winograd", "--tune", bad),
		usage(`--cpu is "z80", want one of `, "-o", "new", "--cpu", "z80"),
		usage(`--package is "main"`, "-o", "new", "--package", "main"),
		usage(`there is no stage "x"; there are: import, `, "--dump", "x"),
		usage(`there is no stage "merge" here; there are: import, `, "--dump", "merge"),
		usage(`there is no stage "train" here; there are: import, `, "--dump", "train", "--split", "2"),
		usage("--join is for classes of a distributed program", "-o", "new", "--join", "a+b"),
		usage("--host is for peers that talk to each other", "-o", "new", "--host", "tcp"),
		usage("--peers is for a distributed program", "-o", "new", "--peers", "client=2"),
		usage("--limit is for what goes over a network", "-o", "new", "--limit", "1MB"),
		usage("--epsilon is for what peers show of each other", "-o", "new", "--epsilon", "3"),
		usage("say with --split N into how many stages it is cut", "--dump", "partition"),
		usage("stages that one peer runs together are one stage", "-o", "new", "--split", "2", "--join", "a+b"),
		usage("are for a model in one piece", "-o", "new", "--split", "2", "--package", "two"),
		usage("--host:", "-o", "new", "--split", "2", "--host", "pigeon"),
		cmdtest.Refusal{Args: []string{model, "-o", file}, Want: "file is a file, want a folder"},
		cmdtest.Refusal{Args: []string{model, "-o", "new", "--tune", bad}, Want: "bad.json"},
		cmdtest.Refusal{Args: []string{model, "-o", "new", "--tune", "none.json"}, Want: "none.json"},
		cmdtest.Refusal{Args: []string{"none.onnx", "-o", "new"}, Want: "none.onnx"},
		cmdtest.Refusal{Args: []string{model, "-o", "new", "--bind", "m=3"}, Want: `no input has a dimension "m"`},
	)
	if _, err := os.Stat("new"); err == nil {
		t.Error("something is written")
	}
}
