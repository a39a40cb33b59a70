package simulate

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/internal/bind"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
)

var (
	programs  = flag.Int("programs", drawn, "how many programs TestSimulation draws")
	beginning = flag.Int("first", 0, "the `number` of the first of them")
	schedules = flag.Int("schedules", 50, "how many schedules of faults each is played under")
	one       = flag.Int("program", -1, "the one `number` to compile")
	keep      = flag.String("keep", "", "a new `folder` for the code that is generated")
	oneOf     = flag.Int("schedule", -1, "the one schedule to play of it, with its steps")
)

// the import path of the generated packages: an overlay puts them there
const generated = "internal/simulate/generated"

// TestSimulation compiles random programs into one binary and runs each under many schedules of faults: delay,
// loss, duplication, reordering, one-way partitions, corruption, clock drift, crashes and restarts from
// snapshots. Their outputs are those of a plain evaluator, no unique action is done twice, every round ends
// after the faults, and the same schedule gives the same steps.
//
//	go test ./internal/simulate -program 17 -schedule 4
//
// runs one of them and prints its steps.
func TestSimulation(t *testing.T) {
	var seeds []int
	for i := range *programs {
		seeds = append(seeds, *beginning+i)
	}
	switch {
	case *one >= 0:
		seeds = []int{*one}
	case testing.Short():
		seeds, *schedules = few(), min(*schedules, 16)
	}
	b := &builder{t: t, dir: t.TempDir(), overlay: map[string]string{}}
	b.root()
	b.load()
	var want [][]string
	for _, i := range seeds {
		s := newSpec(uint64(i))
		b.program(i, s)
		want = append(want, s.want())
	}
	if *keep != "" {
		if err := os.CopyFS(*keep, os.DirFS(filepath.Join(b.dir, "src"))); err != nil {
			t.Fatal(err)
		}
	}
	bin := b.build()
	list, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(b.dir, "want.json")
	if err := os.WriteFile(file, list, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(bin, "-want", file, "-schedules", fmt.Sprint(*schedules), "-schedule", fmt.Sprint(*oneOf)).CombinedOutput()
	if err != nil {
		t.Errorf("%v (a program's number is its -program)", err)
	}
	t.Logf("%s", out)
}

// builder compiles programs into one binary.
type builder struct {
	t       *testing.T
	dir     string
	repo    string
	overlay map[string]string
	types   *bind.Types
	main    strings.Builder
	imports strings.Builder
}

func (b *builder) root() {
	b.t.Helper()
	repo, err := filepath.Abs("../..")
	if err != nil {
		b.t.Fatal(err)
	}
	b.repo = repo
	file := os.Getenv("BBGEN_OVERLAY") // of a mutant
	if file == "" {
		return
	}
	var list struct{ Replace map[string]string }
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	maps.Copy(b.overlay, list.Replace)
}

func (b *builder) write(name string, data []byte) {
	b.t.Helper()
	file := filepath.Join(b.dir, "src", filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o666); err != nil {
		b.t.Fatal(err)
	}
	b.overlay[filepath.Join(b.repo, filepath.FromSlash(generated), filepath.FromSlash(name))] = file
}

// program compiles one program.
func (b *builder) program(i int, s *spec) {
	b.t.Helper()
	name := fmt.Sprintf("p%d", i)
	cut, err := b.cut(s.program(name))
	if err != nil {
		b.t.Fatalf("program %d: %v\n%+v", i, err, s)
	}
	fmt.Fprintf(&b.main, "\t\t{Seed: %d, Gossips: %v, Classes: []runner.Class{\n", i, s.gossips)
	for _, p := range cut.Parts {
		c, err := b.types.Components(p, nil)
		if err != nil {
			b.t.Fatalf("program %d: %v", i, err)
		}
		plan, err := peerplan.Make(p, c)
		if err != nil {
			b.t.Fatalf("program %d: %v", i, err)
		}
		files, err := codegen.GeneratePartition(plan, codegen.Options{Package: "partition", Source: name})
		if err != nil {
			b.t.Fatalf("program %d: %v", i, err)
		}
		for _, f := range files {
			b.write(path.Join(name, p.Class, f.Path), f.Bytes())
		}
		fmt.Fprintf(&b.imports, "\t%s_%s %q\n", name, p.Class, path.Join("github.com/bbgen/bbgen", generated, name, p.Class))
		fmt.Fprintf(&b.main, "\t\t\t{Name: %q, Count: %d, Partition: %s_%s.Default},\n", p.Class, s.count(p.Class), name, p.Class)
	}
	b.main.WriteString("\t\t}},\n")
}

// cut records a program and partitions it.
func (b *builder) cut(p dsl.Program) (*partitioner.Program, error) {
	m, err := dsl.Record(p)
	if err != nil {
		return nil, err
	}
	if err := pass.Run(m, pass.Pipeline, nil); err != nil {
		return nil, err
	}
	return partitioner.Make(m, partitioner.Options{Command: b.types.Command})
}

// load loads the types of the components of all programs.
func (b *builder) load() {
	b.t.Helper()
	m, err := dsl.Record(everything().program("everything"))
	if err != nil {
		b.t.Fatal(err)
	}
	if b.types, err = bind.Load(m, b.repo); err != nil {
		b.t.Fatal(err)
	}
}

// quickly has the compiler neither optimize the generated packages nor describe them to debuggers: they only
// connect the runtime's functions, and compiling all of them takes longer than playing the schedules.
const quickly = "-gcflags=github.com/bbgen/bbgen/" + generated + "/...=-N -l -dwarf=false"

// build builds the binary.
func (b *builder) build() string {
	b.t.Helper()
	b.write("main.go", []byte("package main\n\nimport (\n\t\"github.com/bbgen/bbgen/internal/simulate/runner\"\n"+b.imports.String()+
		")\n\nfunc main() {\n\trunner.Main([]runner.Program{\n"+b.main.String()+"\t})\n}\n"))
	list, err := json.Marshal(map[string]any{"Replace": b.overlay})
	if err != nil {
		b.t.Fatal(err)
	}
	overlay, bin := filepath.Join(b.dir, "overlay.json"), filepath.Join(b.dir, "programs")
	if err := os.WriteFile(overlay, list, 0o666); err != nil {
		b.t.Fatal(err)
	}
	cmd := exec.Command("go", "build", quickly, "-ldflags=-s -w", "-overlay", overlay, "-o", bin, "./"+generated)
	cmd.Dir = b.repo
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Fatalf("%v\n%.4000s", err, out)
	}
	return bin
}
