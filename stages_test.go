package bbgen_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/train"
	"github.com/bbgen/bbgen/partitioner"
)

// TestStages shows how small models and programs change on their way through the compiler: out/STAGE is the text
// of a stage that changes it, out/files names the generated files, which are the same each time, and out/done the stages
// with their graphs. The section config has the settings, as
// lines for [configure]; NAME.ir is a model that the program may bind to a slot as $DIR/NAME.onnx.
func TestStages(t *testing.T) {
	golden.Run(t, "testdata/stages_*.txtar", func(t *testing.T, a *golden.Archive) {
		dir := models(t, a)
		var before string
		var c bbgen.Config
		configure(t, &c, a.Get("config"))
		for _, stage := range c.StageNames() {
			if stage == "print" { // its text is the files' names with their sizes
				continue
			}
			if text := compileUntil(t, a, dir, stage).Text(); text != before {
				a.Check("out/"+stage, strings.ReplaceAll(text, dir, "$DIR"))
				before = text
			}
		}
		files := compileUntil(t, a, dir, "").Files
		if again := compileUntil(t, a, dir, "").Files; !reflect.DeepEqual(again, files) {
			t.Error("the same input gives other files")
		}
		var names []string
		for _, f := range files {
			names = append(names, f.Path)
		}
		a.Check("out/files", strings.Join(names, "\n"))
		a.Check("out/done", told(t, a, dir))
	})
}

// told returns the stages of a program's compilation as it reports them, those of its parts with the part's name, and
// with the number of graphs that it shows after each.
func told(t *testing.T, a *golden.Archive, dir string) string {
	t.Helper()
	var done []string
	graphs := map[string]int{}
	c := bbgen.Config{
		Source: "in.ir", Done: func(stage string) {
			if !slices.Contains(done, stage) { // a pass runs over several graphs
				done = append(done, stage)
			}
		},
		Watch: func(stage string, _ *ir.Module) { graphs[stage]++ },
	}
	configure(t, &c, a.Get("config"))
	if _, err := bbgen.Compile(program(t, a, dir), c); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, stage := range done {
		fmt.Fprintf(&b, "%s %d\n", stage, graphs[stage])
	}
	return b.String()
}

// TestRefused shows the errors of settings that do not go with the model: each line of the section configs, in
// which semicolons separate settings, gives a line of out/errors.
func TestRefused(t *testing.T) {
	golden.Run(t, "testdata/refused_*.txtar", func(t *testing.T, a *golden.Archive) {
		dir := models(t, a)
		var b strings.Builder
		for line := range strings.Lines(a.Get("configs")) {
			c := bbgen.Config{Source: "in.ir"}
			configure(t, &c, strings.ReplaceAll(line, ";", "\n"))
			_, err := bbgen.Compile(program(t, a, dir), c)
			if err == nil {
				t.Fatalf("%s: no error", line)
			}
			fmt.Fprintf(&b, "%s\n\t%s\n", strings.TrimSpace(line), strings.ReplaceAll(err.Error(), dir, "$DIR"))
		}
		a.Check("out/errors", b.String())
	})
}

// models writes the models of an archive to a folder, as $DIR/NAME.onnx.
func models(t *testing.T, a *golden.Archive) (dir string) {
	t.Helper()
	dir = filepath.ToSlash(t.TempDir())
	for _, name := range a.Sections() {
		base, ok := strings.CutSuffix(name, ".ir")
		if !ok || name == "in.ir" {
			continue
		}
		b, err := onnx.Encode(parse(t, name, a.Get(name)))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, base+".onnx"), b, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// program returns the graph in the section in.ir, with the models in dir.
func program(t *testing.T, a *golden.Archive, dir string) *ir.Module {
	t.Helper()
	m := parse(t, "in.ir", strings.ReplaceAll(a.Get("in.ir"), "$DIR", dir))
	m.File = "in.ir"
	return m
}

// compileUntil compiles the program of an archive with its settings.
func compileUntil(t *testing.T, a *golden.Archive, dir, stage string) *bbgen.Result {
	t.Helper()
	c := bbgen.Config{Source: "in.ir", Until: stage}
	configure(t, &c, a.Get("config"))
	r, err := bbgen.Compile(program(t, a, dir), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func parse(t *testing.T, name, text string) *ir.Module {
	t.Helper()
	m, err := ir.Parse(name, text)
	if err == nil {
		err = ir.Verify(m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// configure sets what lines such as "train mse sgd" say.
func configure(t *testing.T, c *bbgen.Config, lines string) {
	t.Helper()
	for line := range strings.Lines(lines) {
		word := strings.Fields(line)
		if len(word) == 0 {
			continue
		}
		set := settings[word[0]]
		if set == nil {
			t.Fatalf("there is no setting %q", word[0])
		}
		if err := set(c, word[1:]); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
}

var settings = map[string]func(*bbgen.Config, []string) error{
	"package": func(c *bbgen.Config, word []string) error { c.Package = word[0]; return nil },
	"import":  func(c *bbgen.Config, word []string) error { c.Import = word[0]; return nil },
	"hosts":   func(c *bbgen.Config, word []string) error { c.Hosts = word; return nil },
	"until":   func(c *bbgen.Config, word []string) error { c.Until = word[0]; return nil },
	"bind": func(c *bbgen.Config, word []string) (err error) {
		c.Bind = map[string]int{}
		c.Bind[word[0]], err = strconv.Atoi(word[1])
		return err
	},
	"train": func(c *bbgen.Config, word []string) error {
		o, err := train.NewOptimizer(word[1])
		c.Train = &train.Options{Loss: train.Loss{Name: word[0], Axis: 1}, Optimizer: o}
		return err
	},
	"memory": func(c *bbgen.Config, word []string) (err error) {
		c.Train.Memory, err = strconv.Atoi(word[0])
		return err
	},
	"split": func(c *bbgen.Config, word []string) error {
		n, err := strconv.Atoi(word[0])
		c.Cut = &bbgen.Cut{Split: &partitioner.SplitOptions{Stages: n}}
		return err
	},
	"cut": func(c *bbgen.Config, _ []string) error { c.Cut = &bbgen.Cut{}; return nil },
	"check": func(c *bbgen.Config, word []string) error {
		c.Cut.Check = func(p *partitioner.Program) error { return fmt.Errorf("%s: %s", p.Name, strings.Join(word, " ")) }
		return nil
	},
	"join": func(c *bbgen.Config, word []string) error {
		c.Cut.Joins = append(c.Cut.Joins, slices.Clone(word))
		return nil
	},
}

// TestWarnings: what is odd in the model of a slot, or of a stage, is said as of a model that is trained alone.
func TestWarnings(t *testing.T) {
	golden.Run(t, "testdata/warnings_*.txtar", func(t *testing.T, a *golden.Archive) {
		a.Check("out/warnings", strings.Join(compileUntil(t, a, models(t, a), "").Warnings, "\n"))
	})
}

// TestOtherStages: a stage that a compilation does not have is no place to end it.
func TestOtherStages(t *testing.T) {
	m := parse(t, "in.ir", "module \"m\"\nopset 21\n\nfunc @main(%x: float32[2]) -> (%y) {\n  %y = Neg(%x) : ?\n}\n")
	for _, stage := range []string{"train", "stages", "merge", "partition"} {
		_, err := bbgen.Compile(m, bbgen.Config{Until: stage})
		if want := "this compilation has no stage \"" + stage + "\"; it has: import, "; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %s…", stage, err, want)
		}
	}
}
