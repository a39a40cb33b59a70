// Command bench times generated peers in comparison with ONNX Runtime, OpenVINO and MNN, and writes the section
// "Inference" of BENCH.md.
//
//	pip install onnx onnxruntime openvino MNN
//	go run ./internal/bench -cases DIR
//
// It also times networks of dense layers, which it generates itself, unless -perceptrons=false is given.
//
// DIR holds cases in the format of ONNX's backend tests (model.onnx and test_data_set_0); models.py beside this file
// writes some, and quantized.py makes quantized ones of these. The engines run in Python, each in a process of its own; those that are not installed are skipped, and
// -python "" times bbgen alone. Outputs are compared with those of the case before a time counts. All run in turn, in
// several rounds, so that changes of the machine's speed affect all of them. Figures are medians over the rounds, and
// the ratios of a row come from the same run. The other sections of the page are kept.
//
// With -level all there is a table for each level of kernels that the machine has. The engines are limited to that
// level as well: copies of their libraries are changed so that they find no AVX-512. That needs Linux, a C compiler
// and objdump; without them bbgen is alone at lower levels.
//
// With -scaling the section "Scaling" is written instead. A machine without a Go toolchain uses binaries that another
// one has built:
//
//	go run ./internal/bench -cases DIR -perceptrons=false -build PEERS
//	bench -cases DIR -perceptrons=false -peers PEERS -scaling -threads 1,2,4,8 -o -
package main

import (
	"cmp"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bbgen/bbgen/internal/bench/section"
	"github.com/bbgen/bbgen/runtime/cpu"
)

// machineLevels are the levels of the machine when the program starts. Later the compiler lowers the current level.
var machineLevels = cpu.Levels()

// options are the values of the flags.
type options struct {
	cases       list
	python      string
	level       string
	rounds      int
	budget      time.Duration
	perceptrons bool
	out         string
	peers       string
	build       string
	scaling     bool
	quiet       bool
	threads     section.Counts
}

func parseFlags() *options {
	var o options
	flag.Var(&o.cases, "cases", "a `folder` of cases, or a case; may be repeated")
	flag.StringVar(&o.python, "python", "python3", "the `program` that runs the engines; \"\" times bbgen alone")
	flag.StringVar(&o.level, "level", "", "the `levels` to compare, such as avx512,avx2; all is each of the machine's with vector instructions (default the best)")
	flag.IntVar(&o.rounds, "rounds", 5, "how often each is timed")
	flag.DurationVar(&o.budget, "time", 500*time.Millisecond, "how long one timing takes")
	flag.BoolVar(&o.perceptrons, "perceptrons", true, "time networks of dense layers besides the cases")
	flag.StringVar(&o.out, "o", "BENCH.md", "the `file` whose section is written, - for standard output")
	flag.StringVar(&o.peers, "peers", "", "a `folder` of peers that -build has written")
	flag.StringVar(&o.build, "build", "", "write the peers into a `folder`, and do nothing else")
	flag.BoolVar(&o.scaling, "scaling", false, "write how peers scale with the numbers of threads")
	flag.BoolVar(&o.quiet, "quiet", false, "repeat timings during which the core was slower than usual; run it with taskset on one core, with -threads 1")
	flag.Var(&o.threads, "threads", "the `numbers` of threads, as in 1,2,4,8 (default 1,2)")
	flag.Parse()
	if o.threads == nil {
		o.threads = section.Counts{1, 2}
	}
	return &o
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("bench: ")
	o := parseFlags()
	tmp, err := os.MkdirTemp("", "bbgen-bench-*")
	if err != nil {
		log.Fatal(err)
	}
	err = o.run(tmp)
	os.RemoveAll(tmp)
	if err != nil {
		log.Fatal(err)
	}
}

// run does what the flags say, with a temporary folder.
func (o *options) run(tmp string) error {
	if len(o.cases) == 0 && !o.perceptrons {
		return fmt.Errorf("give -cases DIR")
	}
	if o.quiet && (o.scaling || !slices.Equal(o.threads, section.Counts{1})) {
		return fmt.Errorf("-quiet watches one core: give -threads 1 as well, without -scaling")
	}
	dirs, err := find(o.cases)
	if err != nil {
		return err
	}
	given := len(dirs)
	if o.perceptrons {
		more, err := writePerceptrons(filepath.Join(tmp, "perceptrons"))
		if err != nil {
			return err
		}
		dirs = append(dirs, more...)
	}
	b, err := o.bench(tmp)
	if err != nil {
		return err
	}
	if b.peers == "" {
		b.peers = cmp.Or(o.build, filepath.Join(tmp, "peers"))
		if err := b.buildAll(dirs, filepath.Join(tmp, "src")); err != nil {
			return err
		}
	}
	if o.build != "" {
		return nil
	}
	return o.write(b, b.measureAll(dirs, given))
}

// bench returns the configuration of the measurements.
func (o *options) bench(tmp string) (*bench, error) {
	b := &bench{
		peers: o.peers, quiet: o.quiet, tmp: tmp, rounds: o.rounds, budget: o.budget, threads: o.threads,
		best: machineLevels[len(machineLevels)-1], load: busy(), missing: map[string]bool{}, version: map[string]string{},
	}
	var err error
	if b.levels, err = levels(o.level, machineLevels); err != nil || o.python == "" || o.build != "" {
		return b, err
	}
	if b.python, err = newPython(o.python, tmp); err != nil {
		return nil, err
	}
	for _, level := range b.levels {
		if b.best != cpu.AVX512 || level != cpu.AVX2 {
			continue
		}
		l, err := newLimit(o.python, filepath.Join(tmp, "limit"))
		if err != nil {
			log.Printf("the engines are not timed at level %v: %v", level, err)
			continue
		}
		b.python.limits[level.String()] = l
	}
	return b, nil
}

// measureAll times the cases. The first ones are given, and the others generated by the bench.
func (b *bench) measureAll(dirs []string, given int) []*row {
	var rows []*row
	for i, dir := range dirs {
		log.Printf("%d of %d: %s", i+1, len(dirs), filepath.Base(dir))
		r, err := b.measure(dir)
		if err != nil {
			log.Printf("%s: %v", dir, err)
			continue
		}
		r.made = i >= given
		rows = append(rows, r)
	}
	return rows
}

// write writes the section on scaling if that is asked for, and otherwise that on inference.
func (o *options) write(b *bench, rows []*row) error {
	if o.scaling {
		return section.Write(o.out, b.scaling(rows))
	}
	return section.Write(o.out, b.page(rows))
}

// list collects the values of a repeated flag.
type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

// find lists the cases below the given folders.
func find(roots []string) ([]string, error) {
	var out []string
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.Name() == "model.onnx" {
				out = append(out, filepath.Dir(path))
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
