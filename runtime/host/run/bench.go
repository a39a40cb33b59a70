package run

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	gort "runtime"
	"slices"
	"time"

	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/host/rusage"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// result is the line that bench prints; times are in microseconds.
type result struct {
	Name    string  `json:"name"`
	Threads int     `json:"threads"`
	Sizes   string  `json:"sizes"` // the varying ones of random inputs, as -size takes them
	Runs    int     `json:"runs"`
	Load    float64 `json:"load_us"` // New and the first run
	Median  float64 `json:"median_us"`
	P20     float64 `json:"p20_us"`
	Best    float64 `json:"best_us"`
	CPU     float64 `json:"cpu_us"` // of the process, per run; 0 if unknown
	Allocs  float64 `json:"allocs_per_run"`
}

func bench(p model.Program, args []string, stdout io.Writer) error {
	f := Flags("bench")
	load := SessionFlags(f)
	budget := f.Duration("time", 2*time.Second, "how long to run")
	look := f.Bool("profile", false, "print which node takes how long, and how near that is to what the machine can do")
	top := f.Int("top", 0, "with -profile: print only so many nodes, those that take most; 0 is all")
	asJSON := f.Bool("json", false, "with -profile: print it as JSON")
	if err := Parse(f, args, "bench -time 2s -threads 1\n  bench -profile -top 20", stdout); err != nil {
		return err
	}
	if !*look && (*top != 0 || *asJSON) {
		return Usagef("-top and -json are for -profile; without it bench prints a line of JSON")
	}
	if *budget <= 0 {
		return Usagef("-time is %v, want more than 0", *budget)
	}
	if *top < 0 {
		return Usagef("-top is %d, want 0 or more", *top)
	}
	start := time.Now()
	s, random, err := load(p)
	if err != nil {
		return err
	}
	if err := s.Run(); err != nil {
		return ofRandom(err, random)
	}
	if *look {
		return printProfile(p, s, *budget, *top, *asJSON, stdout)
	}
	r := result{Name: p.Name, Threads: cpu.Threads(), Sizes: random, Load: us(time.Since(start))}
	if err := r.measure(s, *budget); err != nil {
		return err
	}
	return printJSON(stdout, r)
}

// ofRandom adds to the error of a run with which varying sizes its inputs were made: a model may need larger ones.
func ofRandom(err error, sizes string) error {
	if sizes == "" {
		return err
	}
	return fmt.Errorf("%w; that is with inputs of %s: give other sizes with -size, or inputs with -in", err, sizes)
}

// SessionFlags declares the flags for timing a model. When the flags are parsed, load makes a session with
// these inputs, for a number of threads. If they are random, it returns their varying sizes as well, as in batch=8,seq=128.
func SessionFlags(f *flag.FlagSet) (load func(p model.Program) (s model.Session, random string, err error)) {
	var in inputs
	given := sizes{}
	f.Var(&in, "in", "an input as `NAME=FILE` (.pb or .npy), or a folder of input_I.pb; without it inputs are random")
	f.Var(given, "size", "the `sizes` of random inputs, as in batch=8,seq=128; varying sizes are 1 without it")
	threads := f.Int("threads", 0, "threads to use; 0 is all")
	return func(p model.Program) (model.Session, string, error) {
		if err := setThreads(*threads); err != nil {
			return nil, "", err
		}
		if len(in) > 0 && len(given) > 0 {
			return nil, "", Usagef("-size is for random inputs, and -in gives others: give one or the other")
		}
		if err := given.complete(p); err != nil {
			return nil, "", err
		}
		s, err := p.New()
		if err != nil {
			return nil, "", err
		}
		if len(in) > 0 {
			return s, "", in.load(p, s)
		}
		return s, given.String(), randomInputs(p, s, given)
	}
}

// printProfile prints the time of each node.
func printProfile(p model.Program, s model.Session, budget time.Duration, top int, asJSON bool, stdout io.Writer) error {
	r, err := profiled(p, s, budget)
	if err != nil {
		return err
	}
	if !asJSON {
		r.write(stdout, top)
		return nil
	}
	if top > 0 {
		r.Nodes = r.Nodes[:min(top, len(r.Nodes))]
	}
	return printJSON(stdout, r)
}

// measure runs s for a quarter of the budget to warm up, and then for all of it.
func (r *result) measure(s model.Session, budget time.Duration) error {
	for t := time.Now(); time.Since(t) < budget/4; {
		if err := s.Run(); err != nil {
			return err
		}
	}
	times := make([]time.Duration, 0, 1<<16)
	var before, after gort.MemStats
	gort.ReadMemStats(&before)
	cpu0 := rusage.CPU()
	for t := time.Now(); (time.Since(t) < budget || len(times) < 5) && len(times) < cap(times); {
		t0 := time.Now()
		if err := s.Run(); err != nil {
			return err
		}
		times = append(times, time.Since(t0))
	}
	used := rusage.CPU() - cpu0
	gort.ReadMemStats(&after)
	n := float64(len(times))
	slices.Sort(times)
	r.Runs, r.CPU = len(times), us(used)/n
	round(&r.CPU)
	r.Allocs = float64((after.Mallocs - before.Mallocs)) / n
	if after.Mallocs-before.Mallocs < uint64(len(times)/2+5) {
		r.Allocs = 0 // the measurement's own
	}
	r.Median, r.P20, r.Best = us(times[len(times)/2]), us(times[len(times)/5]), us(times[0])
	return nil
}

func us(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// randomInputs sets every input to seeded random values: floats between -1 and 1, zeros for the other types.
// Varying sizes are 1.
func randomInputs(p model.Program, s model.Session, given sizes) error {
	rng := rand.New(rand.NewPCG(1, 2))
	for i, x := range p.Inputs {
		if x.Elem == tensor.Undefined || x.Key != tensor.Undefined {
			return fmt.Errorf("input %q is %s: give it with -in", x.Name, x.Type)
		}
		shape, err := given.shape(x)
		if err != nil {
			return err
		}
		t := tensor.New(x.Elem, shape...)
		switch d := t.Data.(type) {
		case []float32:
			for k := range d {
				d[k] = rng.Float32()*2 - 1
			}
		case []float64:
			for k := range d {
				d[k] = rng.Float64()*2 - 1
			}
		}
		if err := s.SetInput(i, t); err != nil {
			return fmt.Errorf("input %q: %w", x.Name, err)
		}
	}
	return nil
}
